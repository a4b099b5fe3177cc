/** The page at /account: second factors, sessions, keys and identities of its reader. */
import { ownPage, pageRoute } from './page-route.ts'
import { PROOF, PROOF_DIALOG, PROOF_STYLE } from './proof.ts'
import { SHARED } from './script.ts'

const STYLE = `
main { display: grid; gap: 1rem; max-width: 44rem; margin: 0 auto }
main h2 { margin: 0 0 .5rem }
ul { list-style: none; margin: 0; padding: 0 }
li { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .3rem 1rem; padding: .5rem 0; border-top: 1px solid var(--line) }
li small { display: block; color: var(--soft) }
.row { display: flex; flex-wrap: wrap; align-items: end; gap: .6rem; margin-top: .6rem }
.row label { flex: 1 1 12rem }
code { font-size: 1.05rem; overflow-wrap: anywhere }
.codes { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: .3rem; margin: .6rem 0 }
.picture { background: #fff; padding: .5rem; width: 12rem; max-width: 100%; display: block; margin: .6rem 0 }
${PROOF_STYLE}`

const SCRIPT = `${SHARED}${PROOF}
const section = (id) => document.querySelector('#' + id)
const list = (id) => section(id).querySelector('ul')
const when = (text) => text ? new Date(text).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' }) : '{{never}}'
const entry = (title, small, act, label) =>
  el('li', {}, el('span', {}, title, el('small', {}, small)),
    ...(act ? [el('button', { class: 'plain', type: 'button', 'aria-label': label + ' ' + title, onclick: tried(act) }, label)] : []))

const codes = section('codes')
const showCodes = (made) => {
  if (!made) return
  codes.hidden = false
  codes.querySelector('.codes').replaceChildren(...made.map((code) => el('code', {}, code)))
  codes.scrollIntoView({ block: 'center' })
}

const factors = async () => {
  const { data, meta } = await send('GET', '/auth/factors')
  list('factors').replaceChildren(...data.map(({ id, kind, last_used_at, name }) =>
    entry(name, (kind === 'totp' ? '{{App for codes}}' : 'Passkey') + ', {{used}} ' + when(last_used_at), async () => {
      await proved(() => send('DELETE', '/auth/factors/' + id))
      await factors()
      say('{{The factor is taken away.}}', true)
    }, '{{Remove}}')))
  section('left').textContent = data.length === 0
    ? '{{A second factor keeps others out who know your password.}}'
    : meta.recovery_codes + ' {{recovery codes are left.}}'
  section('more').hidden = data.length === 0
}

/* Programs of people by the words that they send; others as they call themselves. */
const programOf = (agent) => {
  const browser = [['Edg', 'Edge'], ['Firefox', 'Firefox'], ['Chrome', 'Chrome'], ['Safari', 'Safari']].find(([word]) => agent.includes(word + '/'))
  const system = [['Android', 'Android'], ['iPhone', 'iPhone'], ['iPad', 'iPad'], ['Mac OS', 'macOS'], ['Windows', 'Windows'], ['Linux', 'Linux']].find(([word]) => agent.includes(word))
  if (!browser) return agent.slice(0, 80) || '{{A program}}'
  return browser[1] + (system ? ' {{on}} ' + system[1] : '')
}

const sessions = async () => {
  const { data } = await send('GET', '/auth/sessions?per_page=50')
  list('sessions').replaceChildren(...data.map(({ address, created_at, current, id, last_used_at, user_agent }) =>
    entry(programOf(user_agent || ''), (current ? '{{This one}}, ' : '') + '{{since}} ' + when(created_at) + ', {{used}} ' + when(last_used_at || created_at) + (address ? ', {{from}} ' + address : ''),
      current ? undefined : async () => {
        await send('DELETE', '/auth/sessions/' + id)
        await sessions()
      }, '{{End}}')))
}

/* Hidden where there is nothing to see or do. */
const optional = (id, draw) => async () => {
  try {
    section(id).hidden = !(await draw())
  } catch (error) {
    if (error.status === 0) throw error
    section(id).hidden = true
  }
}
const filled = (id, data, entryOf) => {
  list(id).replaceChildren(...data.map(entryOf))
  return data.length > 0
}
const ending = (path, redraw) => async () => {
  await send('DELETE', path)
  await redraw()
}
const keyEntry = ({ expires_at, id, last_used_at, name, permissions, start }) => {
  const use = start + '…, {{for}} ' + (permissions.join(', ') || '{{nothing}}') + ', {{until}} ' + when(expires_at)
  return entry(name, use + ', {{used}} ' + when(last_used_at), ending('/auth/keys/' + id, keys), '{{End}}')
}
const identityEntry = ({ id, label, last_seen }) =>
  entry(label, '{{used}} ' + when(last_seen), ending('/auth/identities/' + id, identities), '{{Disconnect}}')
const keys = optional('keys', async () => {
  const { data: accounts } = await send('GET', '/auth/key-accounts')
  const hasOwn = accounts.some(({ kind }) => kind === 'person')
  filled('keys', hasOwn ? (await send('GET', '/auth/keys')).data : [], keyEntry)
  return accounts.length > 0
})
const identities = optional('identities', async () =>
  filled('identities', (await send('GET', '/auth/identities')).data, identityEntry))

const app = section('app')
const SVG = 'http://www.w3.org/2000/svg'
const draw = (rows) => {
  const picture = document.createElementNS(SVG, 'svg')
  picture.setAttribute('viewBox', '0 0 ' + rows.length + ' ' + rows.length)
  picture.setAttribute('class', 'picture')
  picture.setAttribute('role', 'img')
  picture.setAttribute('aria-label', '{{The secret as a picture for your app}}')
  const path = document.createElementNS(SVG, 'path')
  const squares = rows.flatMap((row, y) => [...row].map((dot, x) => dot === '1' ? 'M' + x + ' ' + y + 'h1v1h-1z' : ''))
  path.setAttribute('d', squares.join(''))
  path.setAttribute('shape-rendering', 'crispEdges')
  picture.append(path)
  const present = app.querySelector('svg')
  if (present) present.replaceWith(picture)
  else app.prepend(picture)
}
section('add-app').onclick = tried(async () => {
  const { data } = await proved(() => send('POST', '/auth/factors/totp', { name: 'App' }))
  app.hidden = false
  app.querySelector('code').textContent = data.secret.replace(/(.{4})(?=.)/g, '$1 ')
  app.querySelector('a').href = data.address
  draw(data.picture)
  app.dataset.id = data.id
  app.code.focus()
})
app.addEventListener('submit', tried(async () => {
  const { data } = await proved(() => send('POST', '/auth/factors/totp/' + app.dataset.id + '/confirm', { code: app.code.value }))
  app.hidden = true
  app.reset()
  await factors()
  say('{{The app is set up.}}', true)
  showCodes(data.recovery_codes)
}))
section('add-passkey').hidden = !hasPasskeys || !isSecureContext
section('add-passkey').onclick = tried(async () => {
  const { data: options } = await proved(() => send('POST', '/auth/factors/passkey/options'))
  const credential = await passkey(options)
  const { data } = await send('POST', '/auth/factors/passkey', { name: navigator.platform || 'Passkey', credential })
  await factors()
  say('{{The passkey is set up.}}', true)
  showCodes(data.recovery_codes)
})
section('more').onclick = tried(async () => showCodes((await proved(() => send('POST', '/auth/factors/recovery-codes'))).data.recovery_codes))
section('out').onclick = tried(async () => {
  await send('POST', '/auth/logout')
  location.assign(root + '/sign-in')
})

tried(async () => {
  try {
    const { data } = await send('GET', '/auth/me')
    section('who').textContent = data.name === data.email ? data.email : data.name + ', ' + data.email
  } catch (error) {
    if (error.status === 401) return location.replace(root + '/sign-in?next=' + encodeURIComponent(location.pathname))
    throw error
  }
  document.querySelector('main').hidden = false
  await Promise.all([factors(), sessions(), keys(), identities()])
})()
`

const mainIn = (root: string): string => `<section class="card"><h2>{{Your account}}</h2><p id="who"></p>
<p class="row"><button id="out" type="button" class="plain">{{Sign out}}</button></p><output role="status" class="notice"></output></section>
<section class="card" id="codes" hidden><h2>{{Recovery codes}}</h2>
<p>{{Keep them where you find them without your device. Each opens your account once, and they are never shown again.}}</p><div class="codes"></div></section>
<section class="card" id="factors"><h2>{{Second factors}}</h2><p id="left"></p><ul></ul>
<p class="row"><button id="add-app" type="button">{{Add an app}}</button><button id="add-passkey" type="button">{{Add a passkey}}</button>
<button id="more" type="button" class="plain" hidden>{{New recovery codes}}</button></p>
<form id="app" hidden><p>{{Show the picture to your app,}} <a href="">{{open it there}}</a>{{, or type the secret; then type the code that the app shows.}}</p><p><code></code></p>
<p class="row"><label>{{Code}} <input name="code" inputmode="numeric" autocomplete="one-time-code" required></label><button>{{Confirm}}</button></p></form></section>
<section class="card" id="sessions"><h2>{{Where you are signed in}}</h2><ul></ul></section>
<section class="card" id="keys" hidden><h2>{{Keys of programs}}</h2><ul></ul><p class="row"><a href="${root}/account/keys">{{Make a key}}</a></p></section>
<section class="card" id="identities" hidden><h2>{{Connected accounts}}</h2><ul></ul></section>
${PROOF_DIALOG}`

export const accountPage = pageRoute({
  path: '/account',
  summary: 'The page of the own account',
  description:
    'Its sessions, second factors, keys and identities. It needs a session by cookie, and leads to /sign-in without one.',
  handle: async (context) =>
    ownPage(context, { title: '{{Your account}}', inside: mainIn, script: SCRIPT, style: STYLE }),
})
