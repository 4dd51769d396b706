/** The page's style, light and dark. */
export const pageStyle = `
:root { color-scheme: light dark;
  --page: light-dark(#fff, #0f1513); --sunken: light-dark(#f4f7f6, #171f1d);
  --line: light-dark(#dde5e2, #2a3633); --text: light-dark(#16211e, #e3ebe8);
  --muted: light-dark(#556560, #9db0aa); --accent: light-dark(#0b7a5c, #4cc9a2);
  --get: light-dark(#1d63c9, #74a9ff); --change: light-dark(#9a4a06, #f59e55);
  --remove: light-dark(#b3214f, #fb7ba8);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
* { box-sizing: border-box; }
html { scroll-padding-top: 5rem; }
body { margin: 0; background: var(--page); color: var(--text); }
a { color: var(--accent); }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: .86em; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.top { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; align-items: center;
  gap: .5rem 1.25rem; padding: .7rem 1.5rem; background: var(--page);
  border-bottom: 1px solid var(--line); }
.top h1 { margin: 0; font-size: 1.05rem; }
.top h1 small, .top a { font-size: .85rem; font-weight: 400; color: var(--muted); }
.find { position: relative; flex: 1 1 20rem; max-width: 40rem; }
.find input { width: 100%; padding: .5rem .9rem; font: inherit; font-size: .95rem; color: inherit;
  border: 1px solid light-dark(#9aa9a4, #4d5f59); border-radius: 99px; background: var(--sunken); }
#found { position: absolute; inset: calc(100% + .35rem) 0 auto; margin: 0; padding: .35rem;
  max-height: 70vh; overflow: auto; list-style: none; border: 1px solid var(--line);
  border-radius: 14px; background: var(--page); box-shadow: 0 10px 30px rgb(0 0 0 / .2); }
#found li { padding: .45rem .7rem; border-radius: 8px; cursor: pointer; }
#found li b { font-weight: 600; }
#found li small { color: var(--muted); }
#found li[aria-selected="true"], #found li:hover { background: light-dark(#dff3ec, #14362c); }
#found-count { position: absolute; right: 1rem; top: .65rem; font-size: .8rem; color: var(--muted);
  pointer-events: none; }
button { font: inherit; font-size: .9rem; padding: .4rem .9rem; border: 1px solid var(--line);
  border-radius: 99px; background: var(--sunken); color: inherit; cursor: pointer; }
button:hover { border-color: var(--accent); }
.columns { display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
.contents { position: sticky; top: 4rem; align-self: start; height: calc(100vh - 4rem);
  overflow: auto; padding: 1rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line);
  font-size: .87rem; }
.contents h2 { margin: 1.2rem 0 .3rem; font-size: .87rem; }
.contents ul { margin: 0; padding: 0; list-style: none; }
.contents a { display: block; padding: .16rem 0; color: var(--muted); text-decoration: none; }
.contents h2 a { color: var(--text); }
.contents a:hover { color: var(--accent); }
#text { min-width: 0; max-width: 56rem; padding: 1.5rem 2.5rem 6rem; }
#text h2 { margin: 3rem 0 .5rem; font-size: 1.5rem; line-height: 1.25; }
#text .intro > :first-child { margin-top: 0; }
#text h3 { margin: 0 0 .35rem; font-size: 1.2rem; line-height: 1.3; }
#text h3 a { color: inherit; text-decoration: none; }
#text h4 { margin: 1.6rem 0 .4rem; font-size: 1rem; }
#text p { margin: .6rem 0; }
#text :not(pre) > code { overflow-wrap: anywhere; padding: .05rem .3rem; border-radius: 5px;
  background: var(--sunken); }
.operation { margin: 1.5rem 0; padding: 1.4rem 0 .4rem; border-top: 1px solid var(--line);
  content-visibility: auto; contain-intrinsic-size: auto 40rem; }
.address b { padding: .1rem .5rem; border-radius: 6px; font-size: .76rem; letter-spacing: .03em;
  color: var(--page); background: var(--accent); }
.address.get b { background: var(--get); }
.address:is(.patch, .put) b { background: var(--change); }
.address.delete b { background: var(--remove); }
small { color: var(--muted); }
details { margin: .5rem 0; border: 1px solid var(--line); border-radius: 10px; }
summary { padding: .5rem .9rem; cursor: pointer; font-size: .93rem; font-weight: 500; }
details > :not(summary) { margin-inline: .9rem; }
pre { margin: .5rem 0; padding: .8rem 1rem; overflow: auto; max-height: 26rem; border-radius: 10px;
  background: var(--sunken); line-height: 1.45; }
details > pre { margin: 0 .9rem .9rem; }
.table { overflow-x: auto; margin: .6rem 0; }
details > .table { margin: 0 .9rem .6rem; }
table { width: 100%; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .45rem .8rem .45rem 0; text-align: start; vertical-align: top;
  border-top: 1px solid var(--line); }
#text :is(th, td):not(:last-child) code { white-space: nowrap; }
#text details > p { margin-inline: .9rem; }
th { border-top: 0; font-size: .8rem; color: var(--muted); }
@media (max-width: 800px) {
  .columns { grid-template-columns: minmax(0, 1fr); }
  .contents { position: static; height: auto; max-height: 40vh; border: 0;
    border-bottom: 1px solid var(--line); }
  #text { padding: 1rem 1.25rem 4rem; }
  .top { padding: .6rem 1.25rem; }
}
`;
