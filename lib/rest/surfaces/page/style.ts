/** The page's style sheet. */
export const STYLE = `
:root{color-scheme:light dark;
--ground:light-dark(#fbfbfd,#111319);--card:light-dark(#fff,#181b23);--sunk:light-dark(#f3f4f8,#0d0f14);
--ink:light-dark(#1c2030,#e6e8f0);--soft:light-dark(#5a6178,#9aa2b8);--line:light-dark(#e3e6ee,#2a2f3c);
--accent:light-dark(#4338ca,#a5b4fc);--glow:light-dark(#eef0ff,#1f2340);
--get:light-dark(#0b7a4b,#4ade94);--post:light-dark(#1d5fd0,#7db2ff);--put:light-dark(#9a5b00,#f2b755);
--patch:light-dark(#7a35c9,#c9a2ff);--delete:light-dark(#c02636,#ff8a93);--head:light-dark(#5a6178,#9aa2b8);
--mono:ui-monospace,SFMono-Regular,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;
--sans:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue","DejaVu Sans",sans-serif}
:root[data-theme=light]{color-scheme:light}:root[data-theme=dark]{color-scheme:dark}
*{box-sizing:border-box}[hidden]{display:none!important}
html{scroll-padding-top:1.5rem}
body{margin:0;font:15px/1.6 var(--sans);color:var(--ink);background:var(--ground);display:grid;grid-template-columns:18.5rem minmax(0,1fr)}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
code,pre,var,kbd{font-family:var(--mono);font-size:.875em;font-style:normal}
p{margin:.4rem 0}small{color:var(--soft);font-size:.82em}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;z-index:2;background:var(--card);padding:.5rem 1rem}
nav{position:sticky;top:0;height:100vh;display:flex;flex-direction:column;border-right:1px solid var(--line);background:var(--card)}
nav .bar{padding:1.5rem 1.1rem 0}#page-list{flex:1;overflow:auto;padding:0 1.1rem 3rem;scrollbar-width:thin;position:relative}
nav .brand{display:flex;align-items:center;gap:.5rem;margin-bottom:1rem}#page-menu{display:none;padding:.3rem .7rem;line-height:1.2}
nav .brand a{margin-right:auto;overflow-wrap:anywhere;color:var(--ink);font-weight:650;font-size:1.05rem;letter-spacing:-.01em}
nav summary{margin:.9rem .5rem .35rem;width:auto}nav summary h2{display:inline;margin:0}nav summary small{font-size:.7rem}
nav h2 a{color:inherit}nav h2{font-size:.72rem;font-weight:600;letter-spacing:.07em;text-transform:uppercase;color:var(--soft);margin:1.4rem .5rem .35rem}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:.55rem;align-items:baseline;padding:.24rem .5rem;border-radius:7px;color:var(--ink);font-size:.875rem}
nav li a span:last-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
nav li a:hover{background:var(--sunk);text-decoration:none}nav li a[aria-current]{background:var(--glow);color:var(--accent)}
nav .method{font-size:.6rem;min-width:3rem;text-align:right}
#page-search{width:100%}#page-found{display:block;min-height:1.2em;padding:.2rem .5rem 0}
main{padding:3rem clamp(1.25rem,4vw,4rem) 6rem;max-width:84rem}
.top h1{font-size:2.1rem;line-height:1.2;letter-spacing:-.025em;font-weight:700;margin:0}
.top h1 small{font-size:.8rem;font-weight:500;letter-spacing:0;border:1px solid var(--line);border-radius:99px;padding:.15rem .6rem;vertical-align:middle;margin-left:.5rem}
.top .lead{color:var(--soft);font-size:1.05rem;max-width:46rem}
.links{display:flex;flex-wrap:wrap;gap:.5rem;margin:1.25rem 0}
.links a{border:1px solid var(--line);background:var(--card);border-radius:8px;padding:.35rem .8rem;font-size:.85rem;color:var(--ink)}
.links a:hover{border-color:var(--accent);text-decoration:none}
#page-credentials{display:flex;flex-wrap:wrap;align-items:end;gap:.75rem;border:1px solid var(--line);background:var(--card);border-radius:12px;padding:1rem 1.2rem;max-width:46rem}
#page-credentials details{flex-basis:100%}#page-credentials textarea{margin-top:.5rem}
#page-credentials p{flex-basis:100%;margin:0;font-weight:600}#page-credentials p small{font-weight:400}#page-credentials label{flex:1 1 12rem;margin:0}
section>h2{font-size:1.35rem;letter-spacing:-.015em;margin:3.2rem 0 1rem;text-transform:capitalize}
article{background:var(--card);border:1px solid var(--line);border-radius:16px;margin:0 0 1.5rem;overflow:clip;box-shadow:0 1px 2px light-dark(#1c203008,#0000)}
#page-operations article,.kind{content-visibility:auto;contain-intrinsic-size:auto 30rem}.kind{contain-intrinsic-size:auto 12rem}
article:target{border-color:var(--accent)}
article>header{display:flex;flex-wrap:wrap;gap:.3rem 1.2rem;align-items:baseline;justify-content:space-between;padding:1rem 1.4rem;border-bottom:1px solid var(--line)}
h3{margin:0;font-size:1.08rem;letter-spacing:-.01em}h3 a{color:inherit}
h4{margin:1.3rem 0 .5rem;font-size:.72rem;letter-spacing:.07em;text-transform:uppercase;color:var(--soft);font-weight:600}
.about>h4:first-child,.try>h4{margin-top:0}
.path{margin:0;overflow-wrap:anywhere}.path code{font-size:.9rem}.path small{margin-left:.6rem}.path var,var{color:var(--accent)}
.method{font:600 .72rem/1 var(--mono);text-transform:uppercase;letter-spacing:.03em;margin-right:.6rem}nav .method{margin:0}
.method.get{color:var(--get)}.method.post{color:var(--post)}.method.put{color:var(--put)}.method.patch{color:var(--patch)}.method.delete{color:var(--delete)}.method{color:var(--head)}
.columns{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,26rem)}
.about{padding:1.3rem 1.4rem;min-width:0}.side{background:var(--sunk);border-left:1px solid var(--line);min-width:0}
.try{padding:1.3rem 1.4rem;position:sticky;top:0;max-height:100vh;overflow:auto;scrollbar-width:thin}
.fields{margin:0}.fields>div{display:grid;grid-template-columns:minmax(6.5rem,11rem) minmax(0,1fr);gap:.2rem 1rem;padding:.45rem 0;border-top:1px solid var(--line)}
.fields>div:first-child{border-top:0}dt{overflow-wrap:anywhere}dt code{font-weight:600}dt .required{font-size:.875em}dd{margin:0;min-width:0;overflow-wrap:anywhere}dd p{color:var(--soft);font-size:.88rem;margin:.15rem 0 0}
.required{color:var(--delete);margin-left:.15rem;font-weight:600}.type{font-family:var(--mono);font-size:.82rem}.literal{color:var(--get)}.limits{color:var(--soft);font-size:.8rem}
.types code{background:var(--sunk);border-radius:5px;padding:.1rem .4rem;font-size:.75rem}
.types code+code{margin-left:.4rem}dd>small>code{background:var(--sunk);border-radius:5px;padding:.1rem .35rem}
.statuses>div{grid-template-columns:3.2rem minmax(0,1fr)}dd .fields>div,.variants .fields>div{grid-template-columns:minmax(0,1fr);gap:0}
dd .fields{margin:.4rem 0 0;padding-left:.9rem;border-left:2px solid var(--line)}
summary{cursor:pointer;color:var(--soft);font-size:.82rem;width:fit-content}.failures{margin-top:.6rem}
pre{margin:.5rem 0 0;padding:.7rem .85rem;border-radius:9px;background:var(--sunk);overflow:auto;font-size:.8rem;line-height:1.5;max-height:26rem;white-space:pre-wrap;overflow-wrap:anywhere}
.try pre{background:var(--card);border:1px solid var(--line)}
label{display:block;font-size:.82rem;font-weight:550;margin:.7rem 0 .25rem}
input,select,textarea,button{font:inherit;color:inherit}
input,select,textarea{width:100%;padding:.42rem .65rem;background:var(--card);border:1px solid var(--line);border-radius:8px;font-size:.875rem}
::file-selector-button{font:inherit;font-size:.82rem;color:inherit;background:var(--sunk);border:1px solid var(--line);border-radius:6px;padding:.15rem .6rem;margin-right:.7rem;cursor:pointer}
textarea{font-family:var(--mono);font-size:.8rem;resize:vertical;line-height:1.5}
::placeholder{color:var(--soft);opacity:.75}
input:focus,select:focus,textarea:focus{outline:2px solid var(--accent);outline-offset:-1px;border-color:transparent}
.actions{display:flex;flex-wrap:wrap;gap:.5rem;margin-top:1rem}
button{border:1px solid var(--line);background:var(--card);border-radius:8px;padding:.42rem .95rem;font-size:.86rem;font-weight:550;cursor:pointer}
button:hover{border-color:var(--accent)}button:disabled{opacity:.55;cursor:default}
button[type=submit]{background:var(--accent);border-color:var(--accent);color:light-dark(#fff,#14162a)}
button.delete[type=submit]{background:var(--delete);border-color:var(--delete);color:light-dark(#fff,#2a1014)}
button.quiet{background:none;border-color:transparent;color:var(--soft);margin-left:auto}
#page-theme{padding:.3rem .55rem;line-height:1}
.status{font:600 .8rem/1 var(--mono);border-radius:6px;padding:.28rem .5rem;background:var(--sunk);display:inline-block}
.status.good{color:var(--get);background:color-mix(in srgb,var(--get) 10%,transparent)}.status.bad{color:var(--delete);background:color-mix(in srgb,var(--delete) 10%,transparent)}
.told{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%)}.answer:not(:empty){margin-top:1rem;border-top:1px solid var(--line);padding-top:.8rem}.note{color:var(--soft);font-size:.85rem}.failed{color:var(--delete)}
.values{list-style:none;margin:.6rem 0 0;padding:0;max-height:28rem;overflow:auto;border:1px solid var(--line);border-radius:9px;background:var(--card)}
.values li+li{border-top:1px solid var(--line)}.values pre{margin:0;border:0;border-radius:0;background:none;max-height:none}
.kind>h3{font-family:var(--mono);font-size:.98rem}.kind{padding:1.1rem 1.4rem}.kind .fields{margin-top:.5rem}.kind .fields+details{margin-top:.6rem}
footer{color:var(--soft);font-size:.82rem;margin-top:3rem}kbd{border:1px solid var(--line);border-radius:4px;padding:0 .3rem}
.variants{list-style:none;margin:.3rem 0 0;padding:0;border-left:2px solid var(--line)}.variants>li{padding:.25rem 0 .25rem .8rem}.variants summary{color:var(--ink)}.variants summary code{margin-right:.5rem}.variants .fields{margin:.2rem 0 .4rem}
.side .code{margin-top:1rem}.tabs{display:flex;flex-wrap:wrap;gap:.35rem;align-items:center;margin-top:.6rem}.tabs button{margin-left:auto}
.tabs label{position:relative;margin:0;padding:.2rem .65rem;border:1px solid var(--line);border-radius:99px;font-size:.78rem;cursor:pointer}
.tabs input{position:absolute;inset:0;width:100%;opacity:0;cursor:pointer}.tabs label:has(:checked){background:var(--glow);border-color:var(--accent);color:var(--accent)}
.tabs label:has(:focus-visible){outline:2px solid var(--accent);outline-offset:2px}
input[type=file]+textarea{margin-top:.4rem}button.small{padding:.2rem .65rem;font-size:.78rem}[data-samples]{margin-bottom:.4rem}
.line{display:flex;flex-wrap:wrap;gap:.3rem .6rem;align-items:center}.tools{display:flex;gap:.35rem;margin-left:auto}
.values .when{margin:0;padding:.45rem .85rem 0;color:var(--soft);font:.72rem var(--mono)}.values .when+pre{padding-top:.15rem}
.preview img{display:block;max-width:100%;max-height:24rem;margin-top:.5rem;border:1px solid var(--line);border-radius:9px;background:repeating-conic-gradient(light-dark(#eceef4,#20242f) 0 25%,light-dark(#fff,#181b23) 0 50%) 0 0/16px 16px}
.dump{white-space:pre;overflow-wrap:normal;font-size:.7rem}
.switch{display:flex;flex-wrap:wrap;align-items:center;gap:.25rem .6rem;margin:.7rem 0 .25rem;min-height:1.9rem}.switch label{margin:0;cursor:pointer}.switch small{margin-left:auto}.switch button.quiet{margin:0}
.switch input{appearance:none;flex:none;width:2.3rem;height:1.3rem;padding:0;margin:0;border-radius:99px;background:var(--sunk);position:relative;cursor:pointer;transition:background .12s}
.switch input::after{content:"";position:absolute;top:.13rem;left:.13rem;width:.9rem;height:.9rem;border-radius:99px;background:var(--soft);transition:translate .12s}
.switch input:indeterminate{border-style:dashed}.switch input:indeterminate::after{translate:.48rem 0;opacity:.45}
.switch input:checked{background:var(--accent);border-color:var(--accent)}.switch input:checked::after{translate:1rem 0;background:var(--card);opacity:1}
.screen{margin:.6rem 0 0;padding:.6rem .8rem;height:25rem;resize:vertical;overflow:auto;border:1px solid var(--line);border-radius:9px;background:var(--card);font:.76rem/1.45 var(--mono);white-space:pre-wrap;overflow-wrap:anywhere}
.screen.fixed{white-space:pre;overflow-wrap:normal}.screen>div{min-height:1.45em}.screen .error{color:var(--delete)}.screen .bold{font-weight:700}.screen .inverse{background:var(--ink);color:var(--card)}
.screen .c0,.screen .c7{color:var(--soft)}.screen .c1{color:var(--delete)}.screen .c2{color:var(--get)}.screen .c3{color:var(--put)}.screen .c4{color:var(--post)}.screen .c5{color:var(--patch)}.screen .c6{color:light-dark(#0b7285,#66d9e8)}
.typing{display:flex;gap:.4rem;margin-top:.4rem}.typing .typed{font-family:var(--mono);font-size:.8rem}.size{display:inline-flex;align-items:center;gap:.3rem}.size .cells{width:4.2rem;padding:.2rem .4rem;font-size:.78rem}
@media(max-width:76rem){.columns{grid-template-columns:minmax(0,1fr)}.side{border-left:0;border-top:1px solid var(--line)}.try{position:static;max-height:none}}
@media(max-width:52rem){body{display:block}html{scroll-padding-top:7.5rem}nav{height:auto;max-height:100vh;z-index:1;border-right:0;border-bottom:1px solid var(--line)}nav .bar{padding:.8rem 1.25rem .6rem}nav .brand{margin-bottom:.6rem}#page-menu{display:block}#page-list{display:none}#page-list.shown{display:block;max-height:70vh}#page-found:empty{display:none}main{padding-top:1.75rem}.fields>div{grid-template-columns:minmax(0,1fr)}}
@media print{nav,.try,#page-credentials{display:none}body,.columns{display:block}article{break-inside:avoid}}
`;
