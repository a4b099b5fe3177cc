/** A page for a link in a mail, with a form that calls the API. */
import type { Reply, RouteContext } from '../../engine/index.ts'
import { escaped, hashOf, ICON, pageWords, rootOf, themeText } from './page.ts'

/** The differences of the pages. */
export interface FormContent {
  readonly title: string
  /** Its subject, followed by the name of the application. */
  readonly intro: string
  /** The target of the form, below the prefix. */
  readonly to: string
  readonly form: string
  /** A script that declares `requestOf`: the rest of the path, and the body. */
  readonly script: string
  /** Markup of links to pages that help where this one does not. */
  readonly links?: (context: RouteContext) => string
}

/** Sends what `requestOf` makes of the form to the API, and shows the answer. */
const SEND = `
const form = document.forms[0], said = document.querySelector('output')
const token = location.pathname.split('/').pop()
const say = (text, good) => { said.textContent = text; said.className = good ? 'notice good' : 'notice bad' }
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  say('', true)
  const [path, body] = requestOf()
  try {
    const response = await fetch(form.dataset.to + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
    const answer = await response.json()
    const wait = response.status === 429 && response.headers.get('retry-after')
    if (wait) say('{{Too many tries; please wait}} ' + wait + ' {{seconds}}.', false)
    else say((answer.errors ? [...new Set(Object.values(answer.errors).flat())].join('. ') : answer.message) + '.', response.ok)
    if (response.ok) form.querySelector('fieldset').disabled = true
  } catch {
    say('{{That did not work. Please try again in a moment}}.', false)
  }
})`

/** Allows only these two, nothing from elsewhere, and no token in a Referer. */
function headersFor(script: string): Readonly<Record<string, string>> {
  return Object.freeze({
    'Content-Security-Policy': `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(themeText())}; img-src data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  })
}

/** The handler of a page. */
export function formPage({
  title,
  intro,
  to,
  form,
  script,
  links: linksOf,
}: FormContent): (context: RouteContext) => Promise<Reply> {
  const code = `${SEND}${script}`
  return async (context) => {
    const { catalog } = context
    const { html, language, name, script: inWords } = pageWords(context)
    const whole = inWords(code)
    const root = rootOf(context)
    const links = html(linksOf?.(context) ?? '')
    const body = `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${html(title)} · ${name}</title>
<link rel="icon" href="${ICON}"><style>${themeText()}</style></head><body>
<header><h1>${name}</h1></header>
<main class="card form"><h2>${html(title)}</h2><p class="notice">${html(intro)} ${name}.</p>
<noscript><p class="notice bad">${html('{{This page needs JavaScript.}}')}</p></noscript>
<form data-to="${escaped(`${root}${catalog.prefix}${to}`)}"><fieldset>
${html(form)}</fieldset></form><output role="status" class="notice"></output>
${links === '' ? '' : `<p class="links">${links}</p>\n`}</main>
<script>${whole}</script></body></html>
`
    return { raw: { type: 'text/html; charset=utf-8', body }, headers: headersFor(whole) }
  }
}
