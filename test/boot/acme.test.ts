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
import { plinth } from '../cli/world.ts'
import { application } from '../support/application.ts'
import { catalogText, firstDifference } from '../support/catalog-text.ts'

const test = suite('the desk of Acme')

const ACME = 'test/boot/acme'

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

/** A change of the desk: what becomes of a text of a file, and the paths at which it shows. */
interface Change {
  readonly file: string
  readonly from: string | RegExp
  readonly to: string
  readonly paths: readonly string[]
}

const change = (file: string, from: string | RegExp, to: string, ...paths: readonly string[]): Change => ({
  file,
  from,
  to,
  paths,
})

/** `text: null` is a file that goes. */
const CHANGES: Readonly<Record<string, Change>> = {
  'a field is renamed that nobody extends': change(
    'organizations.yaml',
    /\bstate\b/g,
    'region',
    'organizations.region.type',
  ),
  'a field is renamed that is extended': change(
    'organizations.yaml',
    /\bzip\b/g,
    'postcode',
    'organizations.postcode.type',
  ),
  'a field is new': change(
    'contacts.yaml',
    'fields:\n',
    'fields:\n  nickname: { type: string, max: 40 }\n',
    'contacts.nickname',
  ),
  'a field is new that Acme has too': change(
    'tickets.yaml',
    'fields:\n',
    'fields:\n  order_number: { type: string, max: 99, label: Order }\n',
    'tickets.order_number.max',
  ),
  'a field is longer': change(
    'contacts.yaml',
    /phone:( *)\{ type: string, max: 50/,
    'phone:$1{ type: string, max: 60',
    'contacts.phone.max',
  ),
  'an extended field gets a bound': change(
    'tickets.yaml',
    /subject:( *)\{ type: string, required: true \}/,
    'subject:$1{ type: string, required: true, max: 70 }',
    'tickets.subject.max',
  ),
  'a field goes': change('notes.yaml', /^ {2}details: .*\n|, details/gm, '', 'notes.details'),
  'a replaced policy is stricter': change(
    'tickets.yaml',
    '{ role: customer, where: { user: $actor }, fields: [subject, details, priority_id, status_id] }',
    '{ role: customer, where: { user: $actor }, fields: [details] }',
    'tickets.policies.update',
  ),
  'a replaced policy is wider': change(
    'tickets.yaml',
    /^ {2}update:\n {4}- \{ permission: tickets.update \}\n/m,
    '  update:\n    - { permission: tickets.update }\n    - { role: agent }\n',
    'tickets.policies.update',
  ),
  'a policy is stricter': change(
    'faqs.yaml',
    /delete:( *)\[\{ permission: faqs.manage \}\]/,
    'delete:$1[{ permission: faqs.manage, where: { status: false } }]',
    'faqs.policies.delete',
  ),
  'a policy with words is stricter': change(
    'contacts.yaml',
    /delete:( *)\[\{ permission: contacts.delete \}\]/,
    'delete:$1[{ permission: contacts.delete, where: { phone: null } }]',
    'contacts.policies.delete.contacts.delete',
  ),
  'a clause is corrected below a narrowing': change(
    'tickets.yaml',
    '- { role: customer, where: { user: $actor } }',
    '- { role: customer, where: { user: $actor, subject: { null: false } } }',
    'tickets.policies.view.customer.where',
  ),
  'a sentence is corrected': change(
    'tickets.yaml',
    'The first response is before the time of creation',
    'The first response cannot be before the creation',
    'tickets.rules.first_response_after_creation.says',
  ),
  'a rule goes that Acme leaves out': change(
    'tickets.yaml',
    /^ {2}closed_means_closed:\n( {4}.*\n)+/m,
    '',
    'tickets.rules.closed_means_closed',
  ),
  'a search path goes that Acme leaves out': change(
    'tickets.yaml',
    'search:  [subject, uid, ',
    'search:  [subject, ',
    'tickets.search.uid',
  ),
  'a label is another one that Acme replaces': change(
    'organizations.yaml',
    'label: Organization',
    'label: Firm',
    'organizations.label',
  ),
  'a label is another one': change('contacts.yaml', /^label: .*$/m, 'label: Person', 'contacts.label'),
  'an option is another one that Acme replaces': change(
    'app.yaml',
    'token_days: 30',
    'token_days: 20',
    'plugins.auth.token_days',
  ),
  'an option is another one': change('app.yaml', 'job_rows: 2000', 'job_rows: 1500', 'plugins.csv.job_rows'),
  'a resource that Acme leaves out has another name': change(
    'posts.yaml',
    'resource: posts',
    'resource: news',
    'news.label',
  ),
  'a resource that Acme extends has another name': change(
    'faqs.yaml',
    'resource: faqs',
    'resource: questions',
    'questions.label',
  ),
  'a hook goes': change('ticket_comments.yaml', /^hooks:.*\n( {2}.*\n)*/m, '', 'ticket_comments.hooks'),
  'a seeded row is new': change(
    'statuses.yaml',
    '    - { slug: pending,',
    '    - { slug: parked, name: Parked, category: pending }\n    - { slug: pending,',
    'statuses.seeds.parked.name',
  ),
  'a seeded row is new that Acme has too': change(
    'statuses.yaml',
    '    - { slug: pending,',
    '    - { slug: at_workshop, name: Workshop, category: open }\n    - { slug: pending,',
    'statuses.seeds.at_workshop.category',
  ),
  'a plugin goes that Acme leaves out': change('app.yaml', /^ {2}demo: \{\}\n/m, '', 'plugins.demo'),
  'a filter is new that Acme has too': change(
    'faqs.yaml',
    /^search:/m,
    'filters: { product: name }\nsearch:',
    'faqs.filters.product',
  ),
}

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
  const env = { RESOURCES_DIR: settings.resourcesDir, PLUGINS_DIR: settings.pluginsDir }
  const first = await plinth(['check'], env)
  assert.equal([first.code, first.complained], [0, ''])
  const base = { resourcesDir: join(folder, 'base/resources'), pluginsDir: join(folder, 'base/plugins') }
  const outcomes = new Map<string, string>()
  const names = Object.keys(CHANGES)
  const judged = async (drawn: readonly string[]): Promise<void> => {
    const texts = new Map<string, string>()
    const made = drawn.filter((name) => {
      const { file, from, to } = CHANGES[name]!
      const text = texts.get(file) ?? readFileSync(join('resources', file), 'utf8')
      const changed = text.replace(from, () =>
        to.replace('$1', typeof from === 'string' ? '$1' : (from.exec(text)?.[1] ?? '')),
      )
      texts.set(file, changed)
      return changed !== text
    })
    for (const [file, text] of texts) writeFileSync(join(folder, 'base/resources', file), text)
    const alone = await readWritten(base)
    const { diagnostics } = await readCatalog(settings)
    const whole = await readWritten(settings)
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
    numRuns: 12,
  })
  rmSync(folder, { recursive: true })
})

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
