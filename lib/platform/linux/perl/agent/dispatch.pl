# The program is the agent: its arguments name the operation and say what it needs.
agent_work(@ARGV);
