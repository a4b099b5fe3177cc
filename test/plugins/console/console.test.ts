/** The console as it is served: one HTML for all screens, a strict policy, and files that browsers keep for good. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { htmlOf, readPage } from '../../../plugins/console/files.ts'
import { application, type TestApplication } from '../../support/application.ts'

const test = suite<{ app: TestApplication }>('console')
const RESOURCES = {
  'app.yaml': 'name: Notes & <more>\nversion: v1\nprefix: /api\nplugins: { console: {} }\n',
  'notes.yaml':
    'resource: notes\nfields: { text: { type: string, required: true } }\npolicies: { view: [{ who: anyone }] }\n',
}
const POLICY =
  "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'; require-trusted-types-for 'script'"

test.before(async (context) => {
  context.app = await application({ resources: RESOURCES, env: { BASE_URL: 'https://notes.example/below' } })
})
test.after(({ app }) => app.close())

test('every screen is the same HTML, with a policy that allows no inline script and no other server', async ({
  app,
}) => {
  const screens = [
    '/console',
    '/console/notes',
    '/console/notes/7?do=edit',
    '/console/notes/7/lines',
    '/console/no_such',
  ]
  const answers = await Promise.all(screens.map((path) => app.call('GET', path)))
  for (const answer of answers) {
    assert.is(answer.status, 200)
    assert.is(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.is(answer.headers['content-security-policy'], POLICY)
    assert.is(answer.headers['cache-control'], 'no-cache')
    assert.is(answer.text, answers[0]?.text)
    assert.match(answer.text, '<title>Notes &#38; &#60;more&#62;</title>')
    assert.not.match(answer.text, /<script(?![^>]* src=)|<style| style=| on\w+=/)
  }
})

test('a file of another version is not there', async ({ app }) => {
  const { status, body } = await app.call('GET', '/console/0123456789ab/main.js')
  assert.is(status, 404)
  assert.is(body.code, 'route_not_found')
})

test('the HTML names the built files by their version, below the public address', () => {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-page-'))
  const place = pathToFileURL(`${folder}/`)
  assert.is(readPage(place), undefined)
  const page = {
    version: '0123456789ab',
    script: 'main-A.js',
    style: 'style-B.css',
    files: ['main-A.js', 'style-B.css'],
  }
  for (const [name, text] of [
    ['page.json', JSON.stringify(page)],
    ['main-A.js', '1'],
    ['style-B.css', 'a {}'],
  ] as const)
    writeFileSync(join(folder, name), text)
  const built = readPage(place)
  rmSync(folder, { recursive: true })
  assert.ok(built)
  assert.is(built.files.get('main-A.js')?.type, 'text/javascript; charset=utf-8')
  assert.is(String(built.files.get('style-B.css')?.body), 'a {}')
  const html = htmlOf(built, '/below', 'Notes')
  assert.match(html, '<html lang="en" data-root="/below">')
  assert.match(html, '<script type="module" src="/below/console/0123456789ab/main-A.js"></script>')
  assert.match(
    html,
    '<link id="react-aria-pressable-style" rel="stylesheet" href="/below/console/0123456789ab/style-B.css">',
  )
})

test.run()
