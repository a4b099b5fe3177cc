/** /openapi.json and /docs over HTTP: public, cached, and with nothing that a browser would fetch from elsewhere. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startLines } from '../../engine/plugin/as-system.ts'
import { application, type TestApplication } from '../support/application.ts'
import { contrast } from '../support/contrast.ts'

const FILES = {
  'app.yaml': 'name: "Notes <&> co"\nprefix: /api\nplugins: { timestamps: {}, reference: {} }\n',
  'notes.yaml':
    'resource: notes\nfields: { title: { type: string } }\npolicies: { view: [], create: [], update: [], delete: [] }\n',
}

let app: TestApplication
const test = suite('reference')

test.before(async () => {
  app = await application({ resources: FILES })
})
test.after(() => app.close())

test('/openapi.json is the document itself, without an envelope, and is not sent twice', async () => {
  const first = await app.call('GET', '/openapi.json')
  assert.is(first.status, 200)
  assert.match(String(first.headers['content-type']), /^application\/json/)
  assert.is(first.body.openapi, '3.1.0')
  assert.is(first.body.info.title, 'Notes <&> co')
  assert.equal(first.body, JSON.parse(JSON.stringify(app.engine.app.document())))
  const again = await app.call('GET', '/openapi.json', { headers: { 'if-none-match': String(first.headers.etag) } })
  assert.equal([again.status, again.text], [304, ''])
})

test('both are counted by the rate limit like every route', async () => {
  for (const path of ['/openapi.json', '/docs']) {
    assert.ok(Number((await app.call('GET', path)).headers['x-ratelimit-remaining']) > 0, path)
  }
})

test('the document begins with what its reader can do', async () => {
  const { info } = (await app.call('GET', '/openapi.json')).body
  assert.match(info.description, '| Notes | list, read, create, change, delete')
  assert.match(info.description, '| Reference | This document as a page to read and to try')
  assert.not.match(info.description, 'Idempotency-Key')
  assert.match(info['x-guide'], 'Idempotency-Key')
})

test('how requests and answers work is a page behind a link, which loads nothing', async () => {
  const { text: docs } = await app.call('GET', '/docs')
  assert.match(docs, '<a href="docs/guide">')
  const { status, headers, text } = await app.call('GET', '/docs/guide')
  assert.is(status, 200)
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/)
  assert.match(text, '<strong>Lists</strong> take filters')
  assert.match(text, '<code>created_at[gte]=2026-01-01</code>')
  assert.not.match(text, /\*\*|`|<script|src=/)
})

test('/docs/ leads to the page, and a start with port 0 names the port that it has', async () => {
  const { headers, status } = await fetch(`${app.address}/docs/`, { redirect: 'manual' })
  assert.equal([status, headers.get('location')], [308, '../docs'])
  assert.is((await fetch(`${app.address}/docs/`)).url, `${app.address}/docs`)
  assert.is((await fetch(`${app.address}/docs/guide/`)).url, `${app.address}/docs/guide`)
  for (const path of ['/api/notes/', '/openapi.json/', '/docs//', '/'])
    assert.is((await fetch(`${app.address}${path}`, { redirect: 'manual' })).status, 404, path)
  const lines = startLines(app.engine.database, app.engine.app.catalog, app.address, [
    'Reference  http://127.0.0.1:0/docs',
    { once: 'Sign in at http://localhost:0 or https://desk.example:0443/' },
  ])
  assert.equal(lines.slice(2), [
    `Reference  ${app.address}/docs`,
    `Sign in at ${app.address} or https://desk.example:0443/`,
  ])
})

test('what a plugin can do is told apart by semicolons, because its sentences may have commas', async () => {
  const { info } = (await app.call('GET', '/openapi.json')).body
  assert.match(
    info.description,
    /\| Reference \| This document as a page to read and to try; .*; .*; \d more routes? \|/,
  )
})

test('/docs is a page whose policy lets no request leave for another server', async () => {
  const { status, headers, text } = await app.call('GET', '/docs')
  assert.is(status, 200)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, "default-src 'none'")
  assert.not.match(policy, /unsafe|https?:|\*/)
  assert.match(text, '<title>Notes &#60;&#38;&#62; co · reference</title>')
  assert.not.match(text, /(?:src|href)="(?:https?:)?\/\//)
  assert.not.match(text, /<script>|style="/)
})

test('what the page loads is there, is of its type, and may be kept for good', async () => {
  const { text } = await app.call('GET', '/docs')
  const files = [...text.matchAll(/(?:src|href)="(docs\/[^"]+\.(?:js|css))"/g)].map((match) => `/${match[1]}`)
  assert.is(files.length, 4)
  for (const file of files) {
    const { status, headers } = await app.call('GET', file)
    assert.is(status, 200, file)
    assert.match(String(headers['content-type']), file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/)
    assert.match(String(headers['cache-control']), /immutable/)
  }
})

test('the badges of versions and methods are read on their grounds', async () => {
  const { text } = await app.call('GET', '/docs')
  const style = await app.call('GET', `/${/href="(docs\/reference[^"]+\.css)"/.exec(text)?.[1]}`)
  const badges = [
    ...style.text.matchAll(
      /\.swagger-ui ([^{]*?(?:title|method|execute|get|post|put|patch|delete).*?) \{.*?background: (#[\da-f]{6})/g,
    ),
  ]
  assert.is(badges.length, 8)
  for (const [, name, ground = ''] of badges) assert.ok(contrast('#ffffff', ground) >= 4.5, name)
})

test('the page of a large application shows one group of routes at a time', async () => {
  assert.not.match((await app.call('GET', '/docs')).text, 'id="choice"')
  const many = Array.from({ length: 61 }, (_, at): [string, string] => [
    `kind_${at}.yaml`,
    `resource: kind_${at}s\nfields: { title: { type: string } }\nactions: [get]\npolicies: { view: [] }\n`,
  ])
  const large = await application({ resources: { 'app.yaml': FILES['app.yaml'], ...Object.fromEntries(many) } })
  const { status, text } = await large.call('GET', '/docs?group=Kind%207s')
  const first = /<input id="choice" list="groups" data-first="(\w+)">/.exec(text)?.[1]
  const part = await large.call('GET', `/openapi.json?resource=${first}`)
  const chosen = await large.call('GET', '/openapi.json?group=Kind%207s')
  await large.close()
  assert.is(status, 200)
  assert.is(part.status, 200)
  assert.ok(part.body.info['x-groups'].includes('Kind 7s'))
  assert.equal(Object.keys(chosen.body.paths), ['/api/kind-7s/{id}'])
})

test('no other file can be had by the name of one', async () => {
  for (const name of [
    'index.html',
    'package.json',
    '..%2Fpackage.json',
    '..%2F..%2F..%2Fpackage.json',
    'swagger-ui.js',
  ]) {
    assert.is((await app.call('GET', `/docs/${name}`)).status, 404, name)
  }
})

test.run()
