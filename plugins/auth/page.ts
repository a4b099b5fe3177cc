/** The page that the link in a mail opens: a form that sets a new password through the API. */
import { createHash } from 'node:crypto'
import type { Reply, Route, RouteContext } from '../../engine/index.ts'
import { LONGEST, SHORTEST } from './password.ts'

const SCRIPT = `
const form = document.forms[0], said = document.querySelector('output')
form.email.value = new URLSearchParams(location.search).get('email') || ''
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  said.textContent = ''
  const body = JSON.stringify({ email: form.email.value, password: form.password.value, password_confirmation: form.again.value })
  const token = location.pathname.split('/').pop()
  try {
    const response = await fetch(form.dataset.to + token, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const answer = await response.json()
    said.textContent = answer.errors ? [...new Set(Object.values(answer.errors).flat())].join('. ') : answer.message
    if (response.ok) form.querySelector('fieldset').disabled = true
  } catch {
    said.textContent = 'That did not work. Please try again in a moment.'
  }
})`

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 22rem; margin: 12vh auto; padding: 0 1rem; color-scheme: light dark }
fieldset { border: 0; padding: 0; display: grid; gap: .75rem } label { display: grid } input, button { font: inherit; padding: .5rem }
output { display: block; margin-top: 1rem }`

/** No script and no style but these two, nothing from elsewhere, and the token in no Referer. */
const HEADERS = Object.freeze({
  'Content-Security-Policy': `default-src 'none'; script-src '${hashOf(SCRIPT)}'; style-src '${hashOf(STYLE)}'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
})

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}

async function page({ catalog, settings }: RouteContext): Promise<Reply> {
  const to = `${new URL(settings.baseUrl).pathname.replace(/\/+$/, '')}${catalog.prefix}/auth/password/reset/`
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>New password · ${escaped(catalog.name)}</title><style>${STYLE}</style></head><body>
<h1>New password</h1><p>for your account at ${escaped(catalog.name)}</p>
<noscript><p>This page needs JavaScript.</p></noscript>
<form data-to="${escaped(to)}"><fieldset>
<label>E-mail <input name="email" type="email" autocomplete="username" required></label>
<label>New password <input name="password" type="password" autocomplete="new-password" minlength="${SHORTEST}" maxlength="${LONGEST}" required></label>
<label>Once more <input name="again" type="password" autocomplete="new-password" required></label>
<button>Set password</button></fieldset></form><output role="status"></output>
<script>${SCRIPT}</script></body></html>
`
  return { raw: { type: 'text/html; charset=utf-8', body }, headers: HEADERS }
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
  handle: page,
}
