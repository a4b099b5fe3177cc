/** The page at /account/keys: a new key of a program, for its reader or for a service account. */
import { authOptions } from '../options.ts'
import { ownPage, pageRoute } from './page-route.ts'
import { PROOF, PROOF_DIALOG, PROOF_STYLE } from './proof.ts'
import { SHARED } from './script.ts'

const STYLE = `
main { display: grid; gap: 1rem; max-width: 44rem; margin: 0 auto }
main h2 { margin: 0 0 .5rem }
form { display: grid; gap: .9rem }
fieldset { border: 1px solid var(--line); border-radius: .4rem; margin: 0; padding: .6rem .75rem; min-width: 0 }
legend { color: var(--soft); font-size: .875rem; padding: 0 .3rem }
.check { display: flex; align-items: center; gap: .5rem; color: var(--ink); font-size: 1rem }
.check input { flex: none; width: 1.25rem; min-height: 1.5rem; accent-color: var(--accent) }
.groups { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .75rem; margin-top: .75rem }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); gap: .9rem; align-items: end }
code { font-size: 1.05rem; overflow-wrap: anywhere }
.row { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: .6rem }
${PROOF_STYLE}`

const SCRIPT = `${SHARED}${PROOF}
const form = document.querySelector('main form')
const made = document.querySelector('#made')
let accounts = []

const check = (value, label) => el('label', { class: 'check' }, el('input', { type: 'checkbox', name: 'permission', value }), label)
const drawPermissions = () => {
  const { permissions } = accounts.find(({ id }) => String(id) === form.account.value)
  const groups = new Map()
  for (const name of permissions.filter((one) => one !== '*')) {
    const group = name.slice(0, name.lastIndexOf('.')) || 'more'
    groups.set(group, [...(groups.get(group) || []), name])
  }
  form.querySelector('#all').replaceChildren(...(permissions.includes('*') ? [check('*', '{{Everything that the account may do}}')] : []))
  form.querySelector('.groups').replaceChildren(...[...groups].map(([group, names]) =>
    el('fieldset', {}, el('legend', {}, group), ...names.map((name) => check(name, name.slice(name.lastIndexOf('.') + 1))))))
}
form.account.addEventListener('change', drawPermissions)

form.addEventListener('submit', tried(async () => {
  const account = accounts.find(({ id }) => String(id) === form.account.value)
  const body = {
    name: form.name_.value,
    permissions: [...form.querySelectorAll('[name=permission]:checked')].map(({ value }) => value),
    own: form.own.checked,
    methods: form.reading.checked ? ['GET'] : [],
    networks: form.networks.value.split(/[\\s,]+/).filter((text) => text !== ''),
    days: Number(form.days.value),
    ...(form.rate.value && { rate: Number(form.rate.value) }),
    ...(account.kind === 'service' && { user_id: account.id }),
  }
  const { data } = await proved(() => send('POST', '/auth/keys', body))
  made.hidden = false
  made.querySelector('strong').textContent = data.name
  made.querySelector('code').textContent = data.key
  form.reset()
  drawPermissions()
  say('{{The key is made.}}', true)
  made.scrollIntoView({ block: 'center' })
}))
made.querySelector('button').onclick = tried(async () => {
  await navigator.clipboard.writeText(made.querySelector('code').textContent)
  say('{{The key is copied.}}', true)
})

const begin = tried(async () => {
  try {
    accounts = (await send('GET', '/auth/key-accounts')).data
  } catch (error) {
    if (error.status === 401) return location.replace(root + '/sign-in?next=' + encodeURIComponent(location.pathname))
    if (error.status !== 403) throw error
  }
  document.querySelector('main').hidden = false
  document.querySelector('#none').hidden = accounts.length > 0
  document.querySelector('#new').hidden = accounts.length === 0
  if (accounts.length === 0) return
  form.account.replaceChildren(...accounts.map(({ id, kind, name }) =>
    el('option', { value: id }, kind === 'service' ? name : '{{Yourself}}')))
  drawPermissions()
})
begin()
`

/** How long a key lasts where its maker says nothing. */
const USUAL_DAYS = 90

const mainIn = (
  root: string,
  longest: number,
): string => `<section class="card" id="none" hidden><h2>{{Make a key}}</h2>
<p>{{There is no account for which you may make keys. Keys of your own take the permission}} <code>keys.own</code>{{, those of service accounts}} <code>keys.manage</code>.</p></section>
<section class="card" id="made" hidden><h2>{{The new key}}</h2>
<p>{{Copy the key of}} <strong></strong> {{now: it is never shown again.}}</p><p><code></code></p>
<p class="row"><button type="button">{{Copy}}</button></p></section>
<section class="card" id="new"><h2>{{Make a key}}</h2>
<form><p>{{A program acts by it for an account, and may do what you choose here as long as the account may.}}</p>
<label>{{Account}} <select name="account"></select></label>
<label>{{Name}} <input name="name_" maxlength="100" autocomplete="off" required></label>
<fieldset><legend>{{What it may do}}</legend><div id="all"></div><div class="groups"></div></fieldset>
<label class="check"><input type="checkbox" name="own">{{Also what rules allow by the role, or to everybody signed in}}</label>
<label class="check"><input type="checkbox" name="reading">{{Reading only}}</label>
<div class="pair"><label>{{Days until it ends}} <input name="days" type="number" min="1" max="${longest}" value="${Math.min(longest, USUAL_DAYS)}" required></label>
<label>{{Requests in a minute, if fewer than usual}} <input name="rate" type="number" min="1" max="1000000"></label></div>
<label>{{Networks that it may come from, such as 10.1.0.0/16; any if empty}} <input name="networks" autocomplete="off" spellcheck="false"></label>
<button>{{Make the key}}</button></form></section>
<output role="status" class="notice"></output>
<p><a href="${root}/account">{{Your account}}</a></p>
${PROOF_DIALOG}`

export const keysPage = pageRoute({
  path: '/account/keys',
  summary: 'The page to make a key of a program',
  description:
    'For the own account or a service account. It needs a session by cookie, and leads to /sign-in without one.',
  handle: async (context) =>
    ownPage(context, {
      title: '{{Make a key}}',
      inside: (root) => mainIn(root, authOptions(context.options).keys.longestDays),
      script: SCRIPT,
      style: STYLE,
    }),
})
