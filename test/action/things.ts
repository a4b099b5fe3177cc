/** An application of things that are written many at once. */
import { application, type TestApplication } from '../support/application.ts'

const RESOURCES = {
  'app.yaml': 'name: Shelf\nplugins: { soft_delete: {}, who: {} }\n',
  'groups.yaml': `
resource: groups
fields: { name: { type: string, required: true } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [], delete: [{ role: keeper }] }
`,
  'things.yaml': `
resource: things
soft_delete: true
restore: true
lookup: [id, code]
search: [name]
fields:
  code:  { type: string, required: true, unique: true }
  name:  { type: string, required: true }
  price: { type: integer, min: 0 }
  sold:  { type: boolean, default: false }
relations:
  group: { belongs_to: groups, embed: [id, name] }
filters: [code, price, sold, group_id]
rules:
  free_is_sold: { must: { any: [{ price: { ne: 0 } }, { sold: true }] }, says: What is free counts as sold }
policies:
  view:    [{ role: keeper }, { role: seller, where: { code: { starts_with: s } } }]
  create:  [{ role: keeper }, { role: seller, where: { code: { starts_with: s } } }]
  update:  [{ role: keeper }, { role: seller, where: { code: { starts_with: s } } }]
  delete:  [{ role: keeper }]
  restore: [{ role: keeper }]
`,
  'badges.yaml': `
resource: badges
fields: { kind: { type: string }, note: { type: string } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in, set: { kind: plain } }], update: [], delete: [] }
`,
  'marks.yaml': `
resource: marks
batch: false
fields: { name: { type: string, required: true, unique: true } }
policies: { view: [{ who: signed_in }], create: [{ who: signed_in }], update: [{ who: signed_in }], delete: [] }
`,
}

export const KEEPER = '1:keeper:'
export const SELLER = '2:seller:'
export const READER = '3:reader:'

/** Sends a request as the keeper, who may do everything, or as another. */
export type Ask = (
  method: string,
  path: string,
  body?: unknown,
  token?: string,
  headers?: Readonly<Record<string, string>>,
) => ReturnType<TestApplication['call']>

/** The application, and a way to send requests to it. */
export async function things(): Promise<{ readonly call: Ask; readonly close: () => Promise<void> }> {
  const app = await application({ resources: RESOURCES, plugins: 'test/support/plugins' })
  const call: Ask = (method, path, body, token = KEEPER, headers = {}) =>
    app.call(method, `/${path}`, { token, headers, ...(body === undefined ? {} : { body }) })
  return { call, close: () => app.close() }
}
