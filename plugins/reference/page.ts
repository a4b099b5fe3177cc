/** The pages: all routes in their reader, with its script and style; and how requests and answers work. */

import { escaped, ICON } from '../pages/page.ts'

/**
 * Starts the reader on the document next to the page, or on the part of it that is chosen; no other machine is asked for
 * anything.
 */
export const SCRIPT = `'use strict'
const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
paint()
dark.addEventListener('change', paint)
const show = (what) => SwaggerUIBundle({
  ...what,
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  validatorUrl: null,
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 2,
})
const source = new URL('openapi.json', document.baseURI)
const choice = document.getElementById('choice')
const showPart = async () => {
  const group = new URLSearchParams(location.search).get('group')
  source.search = new URLSearchParams(group === null ? { resource: choice.dataset.first } : { group })
  const answer = await fetch(source)
  const spec = await answer.json()
  if (!answer.ok) {
    choice.value = group ?? ''
    document.getElementById('reference').textContent = spec.errors?.group?.[0] ?? spec.message
    return
  }
  const names = spec.info['x-groups'].map((name) => new Option(name, name))
  document.getElementById('groups').append(...names)
  choice.value = spec.tags[0].name
  show({ spec, docExpansion: 'list' })
}
if (choice === null) show({ url: source.href, docExpansion: 'none' })
else {
  choice.addEventListener('focus', () => choice.select())
  choice.addEventListener('change', () => { location.search = new URLSearchParams({ group: choice.value }) })
  showPart()
}
`

export const STYLE = `:root { --ground: #fff; --line: #d8dde3; --accent: #2f5d8a }
html.dark-mode { --ground: #1c2022; --line: #3a4248; --accent: #8ab4de; color-scheme: dark }
body { margin: 0; background: var(--ground); font-family: system-ui, sans-serif }
.swagger-ui, .swagger-ui :not(code, pre, pre *, textarea, .opblock-summary-path, .opblock-summary-path *, .parameter__name, .parameter__type, .json-schema-2020-12 *) { font-family: system-ui, sans-serif }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: inherit; font-weight: 600; background: none; border: 1px solid var(--line); border-radius: 4px; padding: 0 .3em }
.swagger-ui .scheme-container .schemes .schemes-server-container { visibility: hidden; height: 0 }
.swagger-ui .parameters-col_description p, .swagger-ui .response-col_description p { font-size: .875rem; margin: .25rem 0 }
.swagger-ui .wrapper { max-width: 72rem; padding: 0 1.25rem; box-sizing: border-box }
.swagger-ui .info { margin: 2rem 0 1rem }
.swagger-ui .info .title { font-size: 2rem }
.swagger-ui .info p, .swagger-ui .info li { max-width: 46rem; margin-inline: 0; line-height: 1.55 }
.swagger-ui .scheme-container { margin: 0 0 1rem; padding: .75rem 0; box-shadow: none; border-block: 1px solid var(--line); background: none }
.swagger-ui .opblock-tag { font-size: 1.1rem; padding: .5rem .75rem .5rem .25rem; border-color: var(--line) }
.swagger-ui .opblock { box-shadow: none; border-radius: 6px }
.swagger-ui .opblock .opblock-summary-method { min-width: 4.75rem; border-radius: 4px }
.swagger-ui .filter .operation-filter-input { border: 1px solid var(--line); border-radius: 4px; margin: 0 }
.swagger-ui :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
html:not(.dark-mode) .swagger-ui .info .title small { background: #4b5563 }
html:not(.dark-mode) .swagger-ui .info .title small.version-stamp { background: #3f6212 }
html:not(.dark-mode) .swagger-ui .info a, html:not(.dark-mode) .swagger-ui .info a .url { color: #1d5fa8 }
html:not(.dark-mode) .swagger-ui .btn.authorize { border-color: #1b7a4b; color: #1b7a4b }
html:not(.dark-mode) .swagger-ui .btn.authorize svg { fill: #1b7a4b }
html:not(.dark-mode) .swagger-ui .btn.cancel { border-color: #b91c1c; color: #b91c1c }
html:not(.dark-mode) .swagger-ui .btn.execute { border-color: #1d5fa8; background: #1d5fa8; color: #fff }
html:not(.dark-mode) .swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1d5fa8 }
html:not(.dark-mode) .swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1b7a4b }
html:not(.dark-mode) .swagger-ui .opblock.opblock-put .opblock-summary-method { background: #a04d00 }
html:not(.dark-mode) .swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f766e }
html:not(.dark-mode) .swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b91c1c }
html.dark-mode .swagger-ui table.headers td { color: inherit }
.swagger-ui code.language-json span[style*="211, 99, 99"] { color: #f0a3a3 !important }
nav { max-width: 72rem; margin: 1rem auto 0; padding: 0 1.25rem }
nav a { color: var(--accent) }
nav label { margin-inline-start: 2rem; color: inherit }
nav input { font: inherit; padding: .25rem .5rem; border: 1px solid var(--line); border-radius: 4px; background: var(--ground); color: inherit }
noscript p { padding: 2rem }
@media (max-width: 40rem) {
  .swagger-ui .wrapper { padding: 0 .75rem }
  .swagger-ui .info .title { font-size: 1.5rem }
  .swagger-ui .opblock .opblock-summary { flex-wrap: wrap }
  .swagger-ui .opblock .opblock-summary-path { max-width: none; font-size: .85rem; overflow-wrap: anywhere }
  .swagger-ui .opblock .opblock-summary-description { flex-basis: 100%; padding-inline-start: .75rem }
  .swagger-ui .opblock-tag small { display: none }
  .swagger-ui .parameters-container, .swagger-ui .responses-inner { overflow-x: auto }
}
`

/**
 * The page of an application; `files` are the addresses of what it loads. With `first`, the name of a resource, it shows
 * one group of routes at a time, that of this resource at first.
 */
export function page(
  name: string,
  files: { readonly styles: readonly string[]; readonly scripts: readonly string[] },
  first?: string,
): string {
  const choice =
    first === undefined
      ? ''
      : `<label>Group <input id="choice" list="groups" data-first="${escaped(first)}"></label><datalist id="groups"></datalist>`
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)} · reference</title><link rel="icon" href="${ICON}">
${files.styles.map((file) => `<link rel="stylesheet" href="${escaped(file)}">`).join('\n')}
</head><body><nav><a href="docs/guide">How requests and answers work</a>${choice}</nav><main id="reference"></main>
<noscript><p>This page needs JavaScript; the same is told for programs at <a href="openapi.json">openapi.json</a>.</p></noscript>
${files.scripts.map((file) => `<script src="${escaped(file)}"></script>`).join('\n')}
</body></html>
`
}

/** A text of the document, whose Markdown is paragraphs, bold words and code, as HTML. */
function html(markdown: string): string {
  return markdown
    .split(/\n\n+/)
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => {
      const text = escaped(paragraph)
        .replaceAll(/`([^`]+)`/g, '<code>$1</code>')
        .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
      return `<p>${text}</p>`
    })
    .join('\n')
}

export const GUIDE_STYLE = `main { max-width: 46rem; margin: 0 auto; padding: 1rem 0; line-height: 1.6 }
p { margin: 1rem 0 }
code { overflow-wrap: anywhere; border: 1px solid var(--line); border-radius: 4px; padding: 0 .2em }
a { color: var(--accent) }
`

/** The page on how requests and answers work, whatever the route. */
export function guidePage(name: string, guide: string, style: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(name)} · how requests and answers work</title><link rel="icon" href="${ICON}">
<style>${style}</style>
</head><body><main>
<p><a href="../docs">All routes</a></p>
<h1>How requests and answers work</h1>
${html(guide)}
</main></body></html>
`
}
