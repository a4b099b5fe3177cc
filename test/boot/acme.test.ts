/** The desk of Acme extends the desk: it is the same flat, and no change of the desk passes it in silence. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readCatalog, readWritten, type WrittenApplication } from '../../engine/boot/boot.ts'
import { nameOf } from '../../engine/boot/extend-resource.ts'
import { nodeAt } from '../../engine/boot/without.ts'
import type { Diagnostic } from '../../engine/text/diagnostic.ts'
import { atOnce } from '../../engine/turns.ts'
import { plinth } from '../cli/world.ts'
import { Generator, operationsOf, seeded } from '../faults/generate.ts'
import { application } from '../support/application.ts'
import { catalogText, firstDifference } from '../support/catalog-text.ts'
import { CHANGES, changedDesk } from './acme-changes.ts'

const test = suite('the desk of Acme')

const ACME = 'test/boot/acme'
/** How many desks that were changed in several ways are judged; half as many are served and asked. */
const DRAWN = Number(process.env.DRAWN_DESKS ?? 4)
const SERVED = Math.ceil(DRAWN / 2)

/** Acme on a copy of the desk, in a folder of its own. */
function onCopy(): { readonly folder: string; readonly settings: { resourcesDir: string; pluginsDir: string } } {
  const folder = mkdtempSync(join(tmpdir(), 'plinth-acme-'))
  cpSync('resources', join(folder, 'base/resources'), {
    recursive: true,
    filter: (path) => !/guide|\.md$|\.png$/.test(path),
  })
  cpSync(ACME, folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const app = join(folder, 'resources/app.yaml')
  writeFileSync(app, readFileSync(app, 'utf8').replace('plinth/desk', '../base'))
  return { folder, settings: { resourcesDir: join(folder, 'resources'), pluginsDir: join(folder, 'plugins') } }
}

test('its catalog is the one of the flat application', async () => {
  const { folder, settings } = onCopy()
  const env = { RESOURCES_DIR: settings.resourcesDir, PLUGINS_DIR: settings.pluginsDir }
  const { code, complained } = await plinth(['flatten', '--out', join(folder, 'flat')], env)
  assert.is(code, 0, complained)
  const layered = await readCatalog(settings)
  const flat = await readCatalog({ ...settings, resourcesDir: join(folder, 'flat') })
  assert.equal(
    flat.diagnostics.map(({ message }) => message),
    [],
  )
  const [one, other] = [catalogText(layered.value!.catalog), catalogText(flat.value!.catalog)]
  assert.is(firstDifference(one, other), undefined)
  assert.ok(one.length > 100_000)
  rmSync(folder, { recursive: true })
})

function at(written: WrittenApplication | undefined, path: string): string | undefined {
  const [first = '', ...rest] = path.split('.')
  const resource = written?.resources.find((one) => nameOf(one) === first)
  const node =
    written === undefined
      ? undefined
      : resource === undefined
        ? nodeAt(written.app, [first, ...rest])
        : nodeAt(resource, rest)
  return JSON.stringify(node?.value)
}

/** Whether Acme says what the desk says; a condition may be one of several. */
function isIn(path: string, below: string | undefined, own: string | undefined): boolean {
  return path.endsWith('.where') ? own?.includes(below ?? '?') === true : own === below
}

const isOwn = ({ span }: Diagnostic, folder: string): boolean =>
  span?.source.file.includes(`${basename(folder)}/resources/`) === true

test('each change of the desk is carried through, or told at a line of Acme', async () => {
  const { folder, settings } = onCopy()
  // A field that is renamed is renamed there too, which is a change of another file.
  rmSync(join(folder, 'base/resources/de.words.yaml'))
  const env = { RESOURCES_DIR: settings.resourcesDir, PLUGINS_DIR: settings.pluginsDir }
  const first = await plinth(['check'], env)
  assert.equal([first.code, first.complained], [0, ''])
  const base = { resourcesDir: join(folder, 'base/resources'), pluginsDir: join(folder, 'base/plugins') }
  const { sources } = (await readCatalog(settings)).value!
  const outcomes = new Map<string, string>()
  const names = Object.keys(CHANGES)
  const judged = async (drawn: readonly string[]): Promise<void> => {
    const { made, texts } = changedDesk(drawn)
    for (const [file, text] of texts) writeFileSync(join(folder, 'base/resources', file), text)
    const alone = await readWritten(base, sources)
    const { diagnostics, value } = await readCatalog(settings, atOnce, sources)
    const whole = await readWritten(settings, value?.sources ?? sources)
    const told = diagnostics.filter((one) => isOwn(one, folder))
    // What the changed desk has wrong by itself is nobody else's.
    if (drawn.length === 1) assert.ok(alone.value, `${drawn}: ${alone.diagnostics.map(({ message }) => message)}`)
    if (alone.value !== undefined)
      assert.equal(
        diagnostics.filter((one) => !isOwn(one, folder)).map(({ message }) => message),
        [],
        drawn.join(', '),
      )
    for (const name of made) {
      const isCarried =
        whole.value !== undefined &&
        CHANGES[name]!.paths.every((path) => isIn(path, at(alone.value, path), at(whole.value, path)))
      assert.ok(isCarried || told.length > 0 || alone.value === undefined, `${name} passes in silence`)
      if (drawn.length === 1)
        outcomes.set(
          name,
          isCarried && told.length === 0
            ? 'carried'
            : told.map(({ code, severity = 'error' }) => `${severity} ${code}`).join(', '),
        )
    }
    for (const file of texts.keys()) cpSync(join('resources', file), join(folder, 'base/resources', file))
  }
  for (const name of names) await judged([name])
  assert.equal(
    names.filter((name) => !outcomes.has(name)),
    [],
    'a change changes nothing',
  )
  assert.equal(Object.fromEntries(outcomes), {
    'a field is renamed that nobody extends': 'carried',
    'a field is renamed that is extended': 'error missing_key',
    'a field is new': 'carried',
    'a field is new that Acme has too': 'warning changed_part',
    'a field is longer': 'carried',
    'an extended field gets a bound': 'warning changed_part',
    'a field goes': 'carried',
    'a replaced policy is stricter': 'warning changed_part',
    'a replaced policy is wider': 'warning changed_part',
    'a policy is stricter': 'carried',
    'a policy with words is stricter': 'carried',
    'a clause is corrected below a narrowing': 'carried',
    'a sentence is corrected': 'carried',
    'a rule goes that Acme leaves out': 'error unknown_part',
    'a search path goes that Acme leaves out': 'error unknown_part',
    'a label is another one that Acme replaces': 'warning changed_part',
    'a label is another one': 'carried',
    'an option is another one that Acme replaces': 'warning changed_part',
    'an option is another one': 'carried',
    'a resource that Acme leaves out has another name': 'error unknown_part',
    'a resource that Acme extends has another name': 'error unknown_part',
    'a hook goes': 'carried',
    'a seeded row is new': 'carried',
    'a seeded row is new that Acme has too': 'warning changed_part',
    'a plugin goes that Acme leaves out': 'error unknown_part',
    'a filter is new that Acme has too': 'warning changed_part',
  })
  await fc.assert(fc.asyncProperty(fc.uniqueArray(fc.constantFrom(...names), { minLength: 2, maxLength: 4 }), judged), {
    numRuns: DRAWN,
  })
  rmSync(folder, { recursive: true })
})

/** What would end the session of the test, is not about records, or never ends. */
const ASIDE =
  /\/stream$|^\/(livez|readyz|metrics|docs|dashboard|openapi\.json|password|email)|\/auth\/(logout|me|password|sessions|email)/

test('requests of every kind to Acme, on a desk that was changed in drawn ways, are answered without a fault', async () => {
  const { folder, settings } = onCopy()
  const env = { ADMIN_EMAIL: 'boss@acme.example', ADMIN_PASSWORD: 'a very long secret' }
  const names = Object.keys(CHANGES)
  const more = fc.sample(fc.uniqueArray(fc.constantFrom(...names), { minLength: 3, maxLength: 6 }), SERVED * 20)
  // Acme's own file of that name is a resource without the desk's texts then.
  const draws = [['a resource that Acme extends has another name'], ...more]
  const { sources } = (await readCatalog(settings)).value!
  let served = 0
  for (const drawn of draws) {
    if (served === SERVED) break
    const { texts } = changedDesk(drawn)
    for (const [file, text] of texts) writeFileSync(join(folder, 'base/resources', file), text)
    if ((await readCatalog(settings, atOnce, sources)).value !== undefined) {
      served += 1
      await answeredWithoutFault(settings, env, drawn)
    }
    for (const file of texts.keys()) cpSync(join('resources', file), join(folder, 'base/resources', file))
  }
  assert.is(served, SERVED)
  rmSync(folder, { recursive: true })
})

async function answeredWithoutFault(
  { resourcesDir, pluginsDir }: ReturnType<typeof onCopy>['settings'],
  env: Readonly<Record<'ADMIN_EMAIL' | 'ADMIN_PASSWORD', string>>,
  drawn: readonly string[],
): Promise<void> {
  const app = await application({ resources: resourcesDir, plugins: pluginsDir, env })
  const login = { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD }
  const { body } = await app.call('POST', '/api/v1/auth/login', { body: login })
  const document = (await (await fetch(`${app.address}/openapi.json`)).json()) as Readonly<Record<string, unknown>>
  const seed = Math.floor(Math.random() * 1e9)
  const random = seeded(seed)
  const generator = new Generator(document, random, () => String(1 + Math.floor(random() * 4)))
  const operations = operationsOf(document).filter(({ path }) => !ASIDE.test(path))
  const asked = [...operations, ...Array.from({ length: 100 }, () => generator.one(operations))]
  const faults: string[] = []
  for (const operation of asked) {
    const made = generator.make(operation, generator.one(['valid', 'valid', 'nearly']))
    const isOwn = operation.method !== 'GET' && /\/(users|roles)\//.test(made.path)
    if (isOwn) continue
    const headers = { ...made.headers, authorization: `Bearer ${body.data.token}` }
    const init = { method: operation.method, headers, ...(made.body === undefined ? {} : { body: made.body }) }
    const answer = await fetch(`${app.address}${made.path}`, init)
    const text = await answer.text()
    if (answer.status >= 500) faults.push(`${operation.method} ${made.path} ${made.body} → ${answer.status} ${text}`)
  }
  await app.close()
  assert.equal(faults, [], `seed ${seed}, ${drawn.join(', ')}`)
}

test('it answers, with its plugin, and every list of the desk', async () => {
  const env = { ADMIN_EMAIL: 'boss@acme.example', ADMIN_PASSWORD: 'a very long secret' }
  const app = await application({ resources: `${ACME}/resources`, plugins: `${ACME}/plugins`, env })
  const { body } = await app.call('POST', '/api/v1/auth/login', {
    body: { email: env.ADMIN_EMAIL, password: env.ADMIN_PASSWORD },
  })
  const { token } = body.data
  for (const { path, actions } of app.engine.app.catalog.resources.values())
    if (actions.has('list')) assert.is((await app.call('GET', `/api/v1/${path}`, { token })).status, 200, path)
  const post = (bought_on: string) =>
    app.call('POST', '/api/v1/tickets', {
      token,
      body: { subject: 'Broken', details: 'It broke', order_number: 'A-1', bought_on },
    })
  assert.is((await post('2001-01-01')).status, 409)
  assert.is((await post(new Date().toISOString().slice(0, 10))).status, 201)
  assert.is((await app.call('GET', '/api/v1/tickets?order_number=A-1', { token })).body.meta.total ?? 1, 1)
  assert.is((await app.call('GET', '/api/v1/posts', { token })).status, 404)
  await app.close()
})

test.run()
