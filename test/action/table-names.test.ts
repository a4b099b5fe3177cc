/** Tables and columns may have any name, also one that a statement gives to a part of itself. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Answer } from '../support/answer.ts'
import { application, send, type TestApplication } from '../support/application.ts'

const test = suite('names of tables')
let app: TestApplication

/** Names of rows and of parts, as statements have them before `plinth_` or alone. */
const LETTERS = [...'bcdfglopstuvwx']
const PARTS = ['i0', 'found', 'periods', 'kinds', 'whole', 'due', 'batch', 'changed']
/** The one that no statement uses: what it answers, all others answer. */
const PLAIN = 'things'
const NAMES = [...LETTERS, ...PARTS]

const POLICIES = ['view', 'create', 'update', 'delete', 'restore']
  .map((one) => `  ${one}: [{ who: anyone }]`)
  .join('\n')

const fileOf = (name: string): string => `
resource: ${name}
path: ${name}
soft_delete: true
restore: true
log_changes: true
fields:
  title: { type: string, required: true }
  made: { type: date }
  worth: { type: integer, default: 1 }
  double: { type: integer, read_only: true }
  quadruple: { type: integer, read_only: true }
  eightfold: { type: integer, stored: { times: [worth, 8] } }
  is_first: { type: boolean, default: false }
${[...LETTERS, 'b0', 'f0'].map((column) => `  ${column}: { type: string }`).join('\n')}
  all_in: { type: integer, computed: "(select count(*) from ${name} inner_one where inner_one.parent_id = t.id)" }
relations:
  parent: { belongs_to: ${name}, embed: [id, title, o, t] }
  children: { has_many: ${name}, embed: [id, title, o, f] }
  tags: { many_to_many: tags, embed: [id, o] }
search: [title]
filters: [made, worth, parent_id]
sort: { keys: [title, parent.title] }
summary: { by: [made, parent_id], of: [worth] }
rules:
  one: { only_one: is_first }
  few: { at_most: 9, where: { worth: 1 }, says: Nine at most }
  light: { holds: when_written, must: { children: { none: { worth: { gt: 50 } } } }, says: No heavy children }
follows:
  - { set: { double: { times: [$record.worth, 2] } } }
  - { set: { quadruple: { times: [$record.double, 2] } } }
policies:
${POLICIES}
`

const TAGS = `
resource: tags
fields: { o: { type: string } }
seeds: { key: o, rows: [{ o: red }] }
policies: { view: [{ who: anyone }] }
`

test.before(async () => {
  const files = [PLAIN, ...NAMES].map((name) => [`${name}.yaml`, fileOf(name)])
  app = await application({
    resources: {
      'app.yaml': 'name: Names\nplugins: { soft_delete: {} }\n',
      'tags.yaml': TAGS,
      ...Object.fromEntries(files),
    },
  })
})
test.after(() => app?.close())

/** What is asked of each table, in this order. */
const REQUESTS: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['POST', '', { title: 'One', made: '2026-01-01', is_first: true, o: 'O', f: 'F', t: 'T' }],
  ['POST', '', { title: 'Two', made: '2026-01-03', parent_id: 1, tag_ids: [1], o: 'P', f: 'G' }],
  ['PATCH', '/1', { worth: 3, is_first: true }],
  ['PATCH', '/2', { is_first: true, worth: 4, v: 'V', w: 'W', c: 'C' }],
  ['PATCH', '/2', { title: 'Second' }],
  [
    'POST',
    '/batch',
    {
      create: [
        { title: 'Three', parent_id: 2 },
        { title: 'Four', made: '2026-01-03', s: 'S' },
      ],
    },
  ],
  ['POST', '', { title: 'Heavy', parent_id: 1, worth: 60 }],
  ['PATCH', '/1', { title: 'First' }],
  ['GET', '?sort=-parent.title'],
  ['GET', '?search=second'],
  ['GET', '?search=secnd'],
  ['GET', '?worth[gte]=2&per_page=1'],
  ['GET', '/summary?by=made:day&of=count,sum:worth'],
  ['GET', '/summary?by=parent_id&of=count'],
  ['DELETE', '/2'],
  ['PATCH', '/1', { is_first: true }],
  ['POST', '/2/restore'],
  ['GET', '/2'],
  ['DELETE', '/4'],
  ['GET', ''],
]

/** What a table answers to each request; its own name is left out, because sentences hold it. */
async function answersOf(name: string): Promise<readonly string[]> {
  const answers: string[] = []
  for (const [method, path, body] of REQUESTS) {
    const { body: told, status }: Answer = await send(app.address, method, `/${name}${path}`, { body })
    const { timestamp: _, ...meta } = told?.meta ?? {}
    answers.push(
      `${method} ${path} ${status} ${JSON.stringify(told?.data ?? told?.errors ?? null)} ${JSON.stringify(meta)}`,
    )
  }
  return answers
}

test('a table answers the same whatever its name is', async () => {
  const expected = await answersOf(PLAIN)
  for (const name of NAMES) assert.equal(await answersOf(name), expected, name)
})

test.run()
