/** The pages that links in mails open: forms that set a new password, or confirm an address, through the API. */
import { createHash } from 'node:crypto'
import type { Reply, Route, RouteContext } from '../../engine/index.ts'
import { LONGEST, SHORTEST } from './password.ts'

/** Sends what `bodyOf` makes of the form to the API, and shows the answer. */
const SEND = `
const form = document.forms[0], said = document.querySelector('output')
const token = location.pathname.split('/').pop()
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  said.textContent = ''
  const [path, body] = requestOf()
  try {
    const response = await fetch(form.dataset.to + path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
    const answer = await response.json()
    said.textContent = answer.errors ? [...new Set(Object.values(answer.errors).flat())].join('. ') : answer.message
    if (response.ok) form.querySelector('fieldset').disabled = true
  } catch {
    said.textContent = 'That did not work. Please try again in a moment.'
  }
})`

const RESET_SCRIPT = `${SEND}
form.email.value = new URLSearchParams(location.search).get('email') || ''
const requestOf = () => [token, { email: form.email.value, password: form.password.value, password_confirmation: form.again.value }]`

const CONFIRM_SCRIPT = `${SEND}
const requestOf = () => ['', { token }]`

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 22rem; margin: 12vh auto; padding: 0 1rem; color-scheme: light dark }
fieldset { border: 0; padding: 0; display: grid; gap: .75rem } label { display: grid } input, button { font: inherit; padding: .5rem }
output { display: block; margin-top: 1rem }`

/** No script and no style but these two, nothing from elsewhere, and the token in no Referer. */
function headersFor(script: string): Readonly<Record<string, string>> {
  return Object.freeze({
    'Content-Security-Policy': `default-src 'none'; script-src '${hashOf(script)}'; style-src '${hashOf(STYLE)}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  })
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

/** What differs between the pages. */
interface Content {
  readonly title: string
  /** The heading, followed by the application's name. */
  readonly intro: string
  /** Where the form is sent, below the prefix. */
  readonly to: string
  readonly form: string
  readonly script: string
}

function pageOf({ title, intro, to, form, script }: Content): (context: RouteContext) => Promise<Reply> {
  const headers = headersFor(script)
  return async ({ catalog, settings }) => {
    const target = `${new URL(settings.baseUrl).pathname.replace(/\/+$/, '')}${catalog.prefix}${to}`
    const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title} · ${escaped(catalog.name)}</title><style>${STYLE}</style></head><body>
<h1>${title}</h1><p>${intro} ${escaped(catalog.name)}</p>
<noscript><p>This page needs JavaScript.</p></noscript>
<form data-to="${escaped(target)}"><fieldset>
${form}</fieldset></form><output role="status"></output>
<script>${script}</script></body></html>
`
    return { raw: { type: 'text/html; charset=utf-8', body }, headers }
  }
}

export const resetPage: Route = {
  method: 'GET',
  path: '/password/reset/{token}',
  absolute: true,
  summary: 'The page behind the link in a mail: choose a new password',
  tag: 'Authentication',
  access: 'public',
  produces: ['text/html'],
  query: { email: { type: 'string', description: 'Filled into the form' } },
  handle: pageOf({
    title: 'New password',
    intro: 'for your account at',
    to: '/auth/password/reset/',
    script: RESET_SCRIPT,
    form: `<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>New password <input name="password" type="password" autocomplete="new-password" minlength="${SHORTEST}" maxlength="${LONGEST}" required></label>
<label>Once more <input name="again" type="password" autocomplete="new-password" required></label>
<button>Set password</button>`,
  }),
}

/** With a button to press: programs that open the links of mails to look at them must not confirm anything. */
export const confirmPage: Route = {
  method: 'GET',
  path: '/email/verify/{token}',
  absolute: true,
  summary: 'The page behind the link in a mail: confirm an e-mail address',
  tag: 'Authentication',
  access: 'public',
  produces: ['text/html'],
  handle: pageOf({
    title: 'Confirm your address',
    intro: 'for the account that you yourself opened at',
    to: '/auth/email/verify',
    script: CONFIRM_SCRIPT,
    form: `<p>If it was not you who gave this address, leave this page.</p>
<button>This address is mine</button>`,
  }),
}
