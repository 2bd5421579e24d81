/** An operation on several objects that failed for some of them: it answers 409 with its report. */
export class PartialFailure extends Error {
  /** The body of the answer. */
  readonly report: Readonly<Record<string, unknown>>;

  constructor(report: Readonly<Record<string, unknown>>) {
    super("some containers failed");
    this.name = "PartialFailure";
    this.report = report;
  }
}
