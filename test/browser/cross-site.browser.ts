/** A page on another port asks with the cookie of somebody who is signed in: in no browser does anything change by it. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'puppeteer-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { application, type TestApplication } from '../support/application.ts'
import { ADMIN } from '../support/browser.ts'
import { freePort } from '../support/port.ts'
import { type BrowserName, openNamed } from '../support/two-browsers.ts'

const APP = `
name: Notes
prefix: /api
plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { magic_link: { for: [{ role: member }] } } }
`

const NOTES = `
resource: notes
stream: true
fields:
  text: { type: string, required: true }
policies:
  view: [{ who: signed_in }]
  create: [{ who: signed_in }]
  update: [{ who: signed_in }]
  delete: [{ who: signed_in }]
`

/** What a page sends with all cookies that the browser lets it: the code runs there, with the address of the API. */
const fetching = (method: string, path: string, type?: string, body?: string, mode = 'no-cors'): string =>
  `await fetch(api + '${path}', { method: '${method}', credentials: 'include', mode: '${mode}'${
    type === undefined ? '' : `, headers: { 'content-type': '${type}' }`
  }${body === undefined ? '' : `, body: ${JSON.stringify(body)}`} })`

/** A form that is sent into a frame, or in the place of the page. */
const form = (path: string, enctype: string, fields: Readonly<Record<string, string>>, more = ''): string => `
  const form = document.createElement('form')
  Object.assign(form, { action: api + '${path}', method: 'post', enctype: '${enctype}', target: 'frame' })
  for (const [name, value] of Object.entries(${JSON.stringify(fields)})) {
    const input = document.createElement('input')
    Object.assign(input, { name, value, type: 'hidden' })
    form.append(input)
  }
  ${more}
  document.body.append(form)
  form.submit()
  await loaded()`

const element = (tag: string, attributes: string): string => `
  const made = document.createElement('${tag}')
  const ended = new Promise((resolve) => { made.onload = made.onerror = resolve; setTimeout(resolve, patience) })
  Object.assign(made, ${attributes})
  document.body.append(made)
  await ended`

/** Nothing tells a page that a beacon has arrived, or that a browser sends nothing at all. */
const PATIENCE_MS = 400

const NOTE = '{"text":"forged"}'
const LOGIN = JSON.stringify({ email: 'eve@people.example', password: 'the secret of eve', session: 'cookie' })
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data'

/** Each kind of request that a page can send, at routes that change something. */
const ATTACKS: Readonly<Record<string, string>> = {
  'a note as plain text': fetching('POST', '/notes', 'text/plain', NOTE),
  'a note as a form': fetching('POST', '/notes', FORM, 'text=forged'),
  'a note without a type': fetching('POST', '/notes', undefined, NOTE),
  'a note as JSON, after asking': fetching('POST', '/notes', 'application/json', NOTE, 'cors'),
  'a note by a request that outlives the page': `await fetch(api + '/notes', { method: 'POST', mode: 'no-cors', credentials: 'include', keepalive: true, body: ${JSON.stringify(NOTE)} })`,
  'a note by a beacon': `navigator.sendBeacon(api + '/notes', ${JSON.stringify(NOTE)}); await new Promise((seen) => setTimeout(seen, patience))`,
  'a note by a beacon of JSON': `navigator.sendBeacon(api + '/notes', new Blob([${JSON.stringify(NOTE)}], { type: 'application/json' })); await new Promise((seen) => setTimeout(seen, patience))`,
  'a note by XMLHttpRequest': `await new Promise((seen) => { const asked = new XMLHttpRequest(); asked.open('POST', api + '/notes'); asked.withCredentials = true; asked.onloadend = seen; asked.send(${JSON.stringify(NOTE)}) })`,
  'a change of a note': fetching('PUT', '/notes/1', 'application/json', NOTE, 'cors'),
  'a part of a note': fetching('PATCH', '/notes/1', 'application/json', NOTE, 'cors'),
  'the end of a note': fetching('DELETE', '/notes/1', undefined, undefined, 'cors'),
  'the end of a note by a word in the query': fetching('POST', '/notes/1?_method=DELETE', 'text/plain', ''),
  'the end of a note by a header': `await fetch(api + '/notes/1', { method: 'POST', credentials: 'include', headers: { 'x-http-method-override': 'DELETE' } })`,
  'a header of the application': `await fetch(api + '/notes', { method: 'POST', credentials: 'include', headers: { 'x-plinth': '1', 'content-type': 'application/json' }, body: ${JSON.stringify(NOTE)} })`,
  'many notes': fetching('POST', '/notes/batch', 'text/plain', '{"create":[{"text":"forged"}]}'),
  'a form into a frame': form('/notes', FORM, { text: 'forged' }),
  'a form with files into a frame': form('/notes', MULTIPART, { text: 'forged' }),
  'a form of plain text that looks like JSON': form('/notes', 'text/plain', { '{"text":"forged","a":"': '"}' }),
  'a form in the place of the page': form('/notes', FORM, { text: 'forged' }, "form.target = '_self'"),
  'a form in a window': form('/notes', FORM, { text: 'forged' }, "form.target = '_blank'"),
  'a sign-out': fetching('POST', '/auth/logout'),
  'a sign-out by a form': form('/auth/logout', FORM, {}),
  'a sign-out by a picture': element('img', "{ src: api + '/auth/logout' }"),
  'a sign-in as somebody else': fetching('POST', '/auth/login', 'text/plain', LOGIN),
  'a sign-in as somebody else by a form': form('/auth/login', FORM, JSON.parse(LOGIN)),
  'a key': fetching('POST', '/auth/keys', 'text/plain', '{"name":"forged","permissions":[]}'),
  'another password': fetching('PUT', '/users/1', 'application/json', '{"password":"forged secret"}', 'cors'),
  'another role': form('/users/2', FORM, { role_id: '1' }),
  'a second factor': fetching('POST', '/auth/factors/totp', 'text/plain', '{}'),
  'the end of a session': fetching('DELETE', '/auth/sessions/1', undefined, undefined, 'cors'),
  'a stream with the cookie': `await new Promise((seen) => { const stream = new EventSource(api + '/notes/stream', { withCredentials: true }); stream.onopen = () => { document.title = 'read'; seen() }; stream.onerror = seen }); if (document.title === 'read') throw new Error('the stream was read')`,
  'a list as a script': element('script', "{ src: api + '/notes' }"),
  'a list that is read': `const answer = await fetch(api + '/notes', { credentials: 'include' }).catch(() => undefined); if (answer) throw new Error('the answer could be read: ' + answer.status)`,
}

/** What must stay as it is. */
const STATE = `select jsonb_build_object(
  'notes', (select jsonb_agg(to_jsonb(n) order by id) from notes n),
  'users', (select jsonb_agg(to_jsonb(u) - 'second_factor_since' order by id) from users u),
  'sessions', (select jsonb_agg(jti order by id) from access_tokens),
  'keys', (select count(*) from access_keys), 'factors', (select count(*) from factors))`

interface State {
  app: TestApplication
  base: string
  elsewhere: Server
  origin: string
}

const PAGE = '<!doctype html><title>Elsewhere</title><body><iframe name="frame"></iframe>'

async function open(): Promise<State> {
  const port = await freePort()
  const base = `http://localhost:${port}`
  const env = { PORT: String(port), BASE_URL: base, ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
  const app = await application({ resources: { 'app.yaml': APP, 'notes.yaml': NOTES }, env })
  const inside = await app.call('POST', '/api/auth/login', { body: ADMIN })
  const token = String(inside.at('data.token'))
  const eve = { first_name: 'Eve', last_name: 'Other', email: 'eve@people.example', status: 'active' }
  const password = { password: 'the secret of eve', password_confirmation: 'the secret of eve' }
  const made = await app.call('POST', '/api/users', { token, body: { ...eve, ...password } })
  assert.is(made.status, 201, made.text)
  assert.is((await app.call('POST', '/api/notes', { token, body: { text: 'mine' } })).status, 201)
  const elsewhere = createServer((_, response) => response.setHeader('content-type', 'text/html').end(PAGE))
  await new Promise<void>((resolve) => elsewhere.listen(0, 'localhost', resolve))
  return { app, base, elsewhere, origin: `http://localhost:${(elsewhere.address() as AddressInfo).port}` }
}

/** Somebody signs in on the page of the application; the browser has the cookie from then on. */
async function signIn(page: Page, base: string): Promise<void> {
  await page.goto(`${base}/sign-in?next=/account`)
  await page.type('input[name=name_]', ADMIN.email)
  await page.type('input[name=password]', ADMIN.password)
  await page.click('form button')
  await page.waitForFunction("location.pathname === '/account' && document.querySelector('#who')?.textContent !== ''")
}

/** Runs code on a page elsewhere; a refusal of the browser to send is as good as one of the server. */
async function runThere(page: Page, { base, origin }: State, code: string): Promise<void> {
  if (page.url() !== `${origin}/`) await page.goto(origin)
  const script = `(async () => {
    const [api, patience] = ${JSON.stringify([`${base}/api`, PATIENCE_MS])}
    const loaded = () => new Promise((resolve) => { document.querySelector('iframe').onload = resolve; setTimeout(resolve, patience) })
    try { ${code} } catch (error) { if (/was read|could be read/.test(error.message)) return error.message }
    return ''
  })()`
  // A form in the place of the page takes the answer with it.
  assert.is(await page.evaluate(script).catch(() => ''), '')
}

for (const name of ['chromium', 'firefox'] as const satisfies readonly BrowserName[]) {
  const test = suite<State & { browser: Browser }>(`requests from another origin in ${name}`)
  const browser = await openNamed(name)
  const it = browser === undefined ? test.skip : test

  test.before(async (state) => {
    if (browser === undefined) return
    Object.assign(state, await open(), { browser })
  })
  test.after(async ({ app, elsewhere }) => {
    await browser?.close()
    elsewhere?.close()
    await app?.close()
  })

  it(`${Object.keys(ATTACKS).length} requests change nothing, and the session goes on`, async (state) => {
    const { app, base } = state
    const page = (await browser!.pages())[0] ?? (await browser!.newPage())
    await signIn(page, base)
    const stored = async () => JSON.stringify(await app.engine.database.adhoc.run({ text: STATE }, []))
    const before = await stored()
    const there = await browser!.newPage()
    for (const [attack, code] of Object.entries(ATTACKS)) {
      await runThere(there, state, code)
      assert.is(await stored(), before, attack)
    }
    const me = `fetch('/api/auth/me').then((answer) => answer.json()).then(({ data }) => data.email)`
    assert.is(await page.evaluate(me), ADMIN.email, 'the person is who it was')
    // The same request of a page of the application does change something: the attacks fail for where they come from.
    const own = `fetch('/api/notes', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"text":"own"}' }).then(({ status }) => status)`
    assert.is(await page.evaluate(own), 201)
  })

  test.run()
}
