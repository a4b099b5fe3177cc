/** The page at /sign-in: password, passkey, providers, and the second step. */
import { type Catalog, inLanguage, inSentence, languageFor, type RouteContext } from '../../../engine/index.ts'
import { escaped, rootOf, wholePage } from '../../pages/page.ts'
import { authOptions } from '../options.ts'
import { labelOf } from '../provider/options.ts'
import { pageRoute } from './page-route.ts'
import { SHARED } from './script.ts'

const STYLE = `
.ways { display: grid; gap: .6rem; margin-top: .9rem }
.ways a { display: block; text-align: center; border: 1px solid var(--line); border-radius: .4rem; padding: .45rem; text-decoration: none }
`

const SCRIPT = `${SHARED}
const [first, second] = document.forms
const ways = document.querySelector('.ways')
const inside = () => location.assign(next)
let challenge
const step = ({ data, status }) => {
  if (status !== 202) return inside()
  challenge = data.challenge
  first.hidden = ways.hidden = document.forms[2].hidden = true
  second.hidden = false
  document.querySelector('h2').textContent = '{{One more step}}'
  document.querySelector('.links').replaceChildren(el('a', { href: location.pathname + location.search }, '{{Begin again}}'))
  const button = second.querySelector('button.plain')
  button.hidden = !hasPasskeys || data.passkey === undefined
  button.onclick = withoutOffer(async () => {
    const credential = await passkey(data.passkey)
    step(await send('POST', '/auth/second-factor', { challenge, credential, session: 'cookie' }))
  })
  const byCode = data.factors.includes('totp')
  second.querySelector('label').firstChild.textContent = byCode ? '{{Code of your app, or a recovery code}} ' : '{{Recovery code}} '
  second.code.focus()
}
first.addEventListener('submit', tried(async () => {
  const name = first.name_.value.trim()
  const fields = first.dataset.by.split(' ')
  const by = fields.length > 1 && fields.includes('email') ? (name.includes('@') ? 'email' : fields.find((one) => one !== 'email')) : fields[0]
  step(await send('POST', '/auth/login', { [by]: name, password: first.password.value, session: 'cookie' }))
}))
second.addEventListener('submit', tried(async () => {
  step(await send('POST', '/auth/second-factor', { challenge, code: second.code.value, session: 'cookie' }))
}))
const byPasskey = async (more) => {
  const { data } = await send('POST', '/auth/passkey/options')
  const credential = await passkey(data, more)
  step(await send('POST', '/auth/passkey', { credential, session: 'cookie' }))
}
/* Browsers offer passkeys among the names that they fill in; what they answer is renewed before it is too old. */
let offer
let isOffered = true
const offered = async () => {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  for (let again = true; again && isOffered; ) {
    again = false
    const controller = (offer = new AbortController())
    const renewal = setTimeout(() => controller.abort(), 240000)
    try {
      await byPasskey({ mediation: 'conditional', signal: controller.signal })
    } catch (error) {
      /* Another use of a passkey ends the offer, and so does a host that has none. */
      if (offer === controller && controller.signal.aborted) again = true
      else if (error.status === 401 || error.status === 422) say(error.message + '.')
    } finally {
      clearTimeout(renewal)
    }
    while (again && document.hidden) await new Promise((seen) => document.addEventListener('visibilitychange', seen, { once: true }))
  }
}
const withoutOffer = (work) => tried(async () => {
  const open = offer
  isOffered = false
  offer = undefined
  open?.abort()
  await work()
})
if (hasPasskeys && isSecureContext) {
  ways.append(el('button', { class: 'plain', type: 'button', onclick: withoutOffer(() => byPasskey()) }, '{{Sign in with a passkey}}'))
  if (!location.hash.startsWith('#step=')) offered()
}
const begun = /^#step=([\\w-]+)$/.exec(location.hash)
if (begun) {
  history.replaceState(null, '', location.pathname + location.search)
  const bytes = Uint8Array.from(atob(begun[1].replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
  step({ status: 202, data: JSON.parse(new TextDecoder().decode(bytes)) })
}
const third = document.forms[2]
const byLink = document.querySelector('#by-link')
let request
if (byLink) byLink.onclick = tried(async () => {
  const email = first.name_.value.trim()
  if (!email.includes('@')) return first.name_.focus(), say('{{Give your e-mail address.}}')
  const answer = await send('POST', '/auth/link', { email })
  request = answer.data.request
  localStorage.setItem('plinth-link', request)
  first.hidden = ways.hidden = true
  third.hidden = false
  say(answer.message + '.', true)
  third.code.focus()
})
third.addEventListener('submit', tried(async () => {
  step(await send('POST', '/auth/link/use', { request, code: third.code.value, session: 'cookie' }))
}))
send('GET', '/auth/providers').then(({ data }) => {
  for (const { label, path } of data)
    ways.append(el('a', { href: path + '?next=' + encodeURIComponent(next) }, '{{Sign in with}} ' + label))
}, () => undefined)
`

/** Where a browser goes on: a path of this application, or the usual one. */
export function nextOf(context: RouteContext): string {
  const { next } = context.parameters
  const isPath = typeof next === 'string' && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,1000}$/.test(next)
  const usual = authOptions(context.options).signInPage ?? (hasConsole(context.catalog) ? '/console' : '/account')
  return isPath ? next : `${rootOf(context)}${usual}`
}

/** Whether the application has screens for people. */
function hasConsole({ pluginOptions }: Catalog): boolean {
  return pluginOptions.has('console')
}

/** What people call the fields by which they sign in. */
function fieldsLabel({ catalog, headers, options }: RouteContext): string {
  const { fields } = inLanguage(catalog, languageFor(catalog, headers)).resources.get('users')!
  const labels = authOptions(options).signIn.map((name) =>
    name === 'email' ? '{{E-mail}}' : escaped(fields.get(name)?.label ?? name),
  )
  return labels.map((label, at) => (at === 0 ? label : inSentence(label))).join(' {{or}} ')
}

/** The way to the page of a directory, where the application has one. */
function directoryLink(context: RouteContext): string {
  const label = labelOf(context.catalog, 'ldap')
  if (label === undefined) return ''
  const to = `${rootOf(context)}/sign-in/ldap?next=${encodeURIComponent(nextOf(context))}`
  return `<a href="${escaped(to)}">{{Sign in with}} ${escaped(label)}</a>`
}

export const signInPage = pageRoute({
  path: '/sign-in',
  summary: 'The page on which people sign in',
  description: 'By password, passkey or provider, with the second step. Afterwards the browser goes on to `next`.',
  query: { next: { type: 'string', description: 'Where the browser goes on: a path of this application' } },
  handle: async (context) => {
    const { magicLink, signIn } = authOptions(context.options)
    const root = rootOf(context)
    const byLink =
      magicLink === undefined
        ? ''
        : '<button class="plain" type="button" id="by-link">{{Mail me a link to sign in}}</button>'
    const type = signIn.length === 1 && signIn[0] === 'email' ? 'email' : 'text'
    const main = `<main class="card form" data-api="${escaped(root + context.catalog.prefix)}" data-root="${escaped(root)}" data-next="${escaped(nextOf(context))}">
<h2>{{Sign in}}</h2>
<noscript><p class="notice bad">{{This page needs JavaScript.}}</p></noscript>
<form data-by="${escaped(signIn.join(' '))}">
<label>${fieldsLabel(context)} <input name="name_" type="${type}" autocomplete="username webauthn" autocapitalize="none" required autofocus></label>
<label>{{Password}} <input name="password" type="password" autocomplete="current-password" required></label>
<button>{{Sign in}}</button>
</form>
<form hidden>
<label>{{Code}} <input name="code" inputmode="text" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required></label>
<button>{{Go on}}</button>
<button class="plain" type="button" hidden>{{Use a passkey}}</button>
</form>
<form hidden>
<label>{{Code of the mail}} <input name="code" inputmode="numeric" autocomplete="one-time-code" required></label>
<button>{{Sign in}}</button>
</form>
<output role="status" class="notice"></output>
<div class="ways">${byLink}${directoryLink(context)}</div>
<p class="links"><a href="${escaped(root)}/password/reset">{{Forgot your password?}}</a></p>
</main>`
    return wholePage(context, { title: '{{Sign in}}', main, script: SCRIPT, style: STYLE })
  },
})

const LINK_SCRIPT = `${SHARED}
const token = location.pathname.split('/').pop()
const form = document.forms[0]
const label = form.querySelector('label')
form.addEventListener('submit', tried(async () => {
  const kept = localStorage.getItem('plinth-link') || undefined
  const body = { token, request: kept, session: 'cookie', ...(label.hidden ? {} : { code: form.code.value }) }
  try {
    const { data, status } = await send('POST', '/auth/link/use', body)
    localStorage.removeItem('plinth-link')
    location.assign(status === 202 ? root + '/sign-in?next=' + encodeURIComponent(next) + stepText(data) : next)
  } catch (error) {
    if (!label.hidden || !error.codes?.code?.includes('required')) throw error
    label.hidden = false
    form.code.required = true
    form.code.focus()
    say('{{You asked in another browser: type the code of the mail.}}')
  }
}))
`

/** Needs a press of the button: programs that open the links of mails must not sign in. */
export const linkPage = pageRoute({
  path: '/sign-in/link/{token}',
  summary: 'The page behind the link in a mail: sign in',
  handle: async (context) => {
    const root = escaped(rootOf(context))
    const main = `<main class="card form" data-api="${root}${escaped(context.catalog.prefix)}" data-root="${root}" data-next="${escaped(nextOf(context))}">
<h2>{{Sign in}}</h2>
<noscript><p class="notice bad">{{This page needs JavaScript.}}</p></noscript>
<form><p>{{You asked for a link to sign in.}}</p>
<label hidden>{{Code of the mail}} <input name="code" inputmode="numeric" autocomplete="one-time-code"></label>
<button>{{Sign in}}</button></form>
<output role="status" class="notice"></output>
<p class="links"><a href="${root}/sign-in">{{Ask for a new link}}</a></p>
</main>`
    return wholePage(context, { title: '{{Sign in}}', main, script: LINK_SCRIPT })
  },
})
