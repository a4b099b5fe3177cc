/** Books whose changes a plugin listens to. */
import { createEngine, type Engine } from '../../engine/engine.ts'
import { application, type TestApplication } from '../support/application.ts'
import { SILENT } from '../support/database.ts'

export const RESOURCES: Readonly<Record<string, string>> = {
  'app.yaml': [
    'name: Books',
    'plugins: { timestamps: {}, soft_delete: {}, jobs: {}, echo: {} }',
    'limits: { listenerBackoffMs: 20, listenerPollMs: 100, listenerAttempts: 3 }',
  ].join('\n'),
  'shelves.yaml': [
    'resource: shelves',
    'fields: { name: { type: string, required: true }, keeper: { type: integer } }',
    'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }] }',
  ].join('\n'),
  'books.yaml': [
    'resource: books',
    'timestamps: true',
    'soft_delete: true',
    'restore: true',
    'fields:',
    '  title: { type: string, required: true }',
    '  pages: { type: integer, default: 100 }',
    '  price: { type: decimal }',
    '  bought_at: { type: timestamp }',
    '  pin: { type: secret }',
    '  hidden: { type: string, show: never }',
    'relations: { shelf: { belongs_to: shelves } }',
    'policies:',
    '  view: [{ role: keeper }, { role: reader, where: { shelf.keeper: 2 } }]',
    '  create: [{ who: signed_in }]',
    '  update: [{ who: signed_in }]',
    '  delete: [{ who: signed_in }]',
    '  restore: [{ who: signed_in }]',
  ].join('\n'),
  'echoes.yaml': [
    'resource: echoes',
    'fields: { change_id: { type: integer, unique: true }, action: { type: string }, record_id: { type: integer }, actor_id: { type: integer }, bulk: { type: boolean }, fields: { type: json } }',
    'policies: { view: [{ who: anyone }] }',
  ].join('\n'),
}

/** Starts the application. */
export function openBooks(resources: Readonly<Record<string, string>> = RESOURCES): Promise<TestApplication> {
  return application({
    resources,
    plugins: new URL('./plugins', import.meta.url).pathname,
    env: { METRICS_TOKEN: 'numbers' },
  })
}

/** A second instance on the same database, with its address. */
export async function secondInstance(app: TestApplication): Promise<{ readonly engine: Engine; readonly url: string }> {
  const { settings } = app.engine.app.foundation
  const made = await createEngine({ settings, log: SILENT, database: app.engine.database })
  if (made.value === undefined) throw new Error('the second instance did not start')
  return { engine: made.value, url: (await made.value.listen()).url }
}

export interface Echo {
  readonly action: string
  readonly record: number
  readonly actor: number | null
  readonly fields: readonly { readonly field: string; readonly from: unknown; readonly to: unknown }[]
}

/** What the listener noted so far, in the order in which it was given. */
export async function echoes({ engine }: TestApplication): Promise<readonly Echo[]> {
  const text = 'select action, record_id, actor_id, fields from echoes order by id'
  const rows = await engine.database.adhoc.run({ text }, [])
  return rows.map(([action, record, actor, fields]) => ({
    action: action ?? '',
    record: Number(record),
    actor: actor === null || actor === undefined ? null : Number(actor),
    fields: JSON.parse(fields ?? '[]') as Echo['fields'],
  }))
}
