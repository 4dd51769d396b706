/** The style of the page: 320 pixels and up, light and dark by the system's choice. */
export const pageStyle = `
:root{color-scheme:light dark;--back:#f4f6f5;--card:#fff;--text:#17211d;--soft:#46554e;--line:#c3cfc9;--main:#0b6b50;--on-main:#fff;--bad:#a02a12;--good:#0b6b50}
@media (prefers-color-scheme:dark){:root{--back:#101614;--card:#19211e;--text:#e8efec;--soft:#b3c2bb;--line:#3d4c46;--main:#53c79f;--on-main:#06231a;--bad:#ff9d85;--good:#6fd8b3}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:34rem;margin:0 auto;padding:1rem}
h1{font-size:1.4rem;line-height:1.25;margin:.5rem 0 1rem}
h2{font-size:1.05rem;margin:1rem 0 .25rem}
h3{font-size:1rem;margin:.75rem 0 .25rem}
.card{background:var(--card);border:1px solid var(--line);border-radius:.75rem;padding:1rem;margin:0 0 1rem}
.note{color:var(--soft);margin:.25rem 0 0}
#status{font-weight:600;margin:0 0 1rem}
#status.bad{color:var(--bad)}
#status.good{color:var(--good);font-size:1.25rem}
fieldset{border:0;margin:0 0 1rem;padding:0;display:grid;gap:.5rem}
fieldset label{display:flex;gap:.6rem;align-items:flex-start;padding:.6rem .75rem;border:1px solid var(--line);border-radius:.5rem;cursor:pointer}
fieldset label:has(:checked){border-color:var(--main);outline:1px solid var(--main)}
fieldset small{display:block;color:var(--soft);font-size:.9rem}
input[type=radio]{accent-color:var(--main);width:1.2rem;height:1.2rem;margin:.15rem 0 0;flex:none}
input[type=tel]{font:inherit;width:100%;padding:.6rem .75rem;border:1px solid var(--soft);border-radius:.5rem;background:var(--card);color:inherit}
button{font:inherit;font-weight:600;width:100%;min-height:2.75rem;padding:.5rem 1rem;margin:.75rem 0 0;border:0;border-radius:.5rem;background:var(--main);color:var(--on-main);cursor:pointer}
button:disabled{opacity:.6;cursor:default}
:focus-visible{outline:3px solid var(--main);outline-offset:2px}
#picture{display:block;width:100%;max-width:20rem;height:auto;margin:0 auto;background:#fff;border-radius:.5rem;image-rendering:pixelated}
#typed{display:block;font:700 1.7rem/1.3 ui-monospace,monospace;letter-spacing:.12em;text-align:center;margin:.25rem 0}
ol{margin:.25rem 0;padding-left:1.4rem}
[hidden]{display:none!important}
`;
