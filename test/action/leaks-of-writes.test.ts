/**
 * No answer to a write depends on what its sender may not read: two applications that differ in hidden values alone are
 * sent the same requests, and must answer the same.
 */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Random, seeded } from '../faults/generate.ts'
import { application, type TestApplication } from '../support/application.ts'

const KEEPERS = '{ permission: all.do }'
const STAFF = '1:staff:all.do'
const ANN = '1:member:'

const FILES = {
  'app.yaml': 'name: Twins\nprefix: /api\nplugins: { timestamps: {}, soft_delete: {}, who: {}, activity: {} }\n',
  'tags.yaml': `
resource: tags
fields: { name: { type: string }, shown: { type: boolean, default: true } }
policies:
  view: [${KEEPERS}, { who: signed_in, where: { shown: true } }]
  create: [${KEEPERS}]
  update: [{ who: signed_in }]
  delete: []
`,
  'lines.yaml': `
resource: lines
soft_delete: true
restore: true
summary: true
fields: { text: { type: string }, amount: { type: integer }, cost: { type: integer, read: ${KEEPERS} }, owner: { type: integer } }
relations: { thing: { belongs_to: things, embed: [id, name, note] }, ref: { belongs_to: lines, read: ${KEEPERS}, embed: [id] } }
nested: { thing: { path: lines, actions: [list, create] }, ref: { path: lines, actions: [list] } }
filters: [text, amount, cost, thing.note]
search: [text]
policies:
  view: [${KEEPERS}, { role: member, where: { owner: $actor } }]
  create: [{ who: signed_in }]
  update: [${KEEPERS}, { role: member, fields: [text, amount, cost, thing, ref] }]
  delete: [{ role: member, where: { owner: $actor } }]
  restore: [{ role: member }]
`,
  'things.yaml': `
resource: things
conceal: true
soft_delete: true
restore: true
activity: true
fields:
  name: { type: string }
  note: { type: string, read: ${KEEPERS} }
  pin: { type: secret }
  never: { type: string, show: never }
  owner: { type: integer }
  level: { type: integer, write: ${KEEPERS}, read: ${KEEPERS} }
  rank: { type: integer, write: ${KEEPERS} }
  fixed: { type: string, immutable: true }
  hidden: { type: string, immutable: true, read: ${KEEPERS} }
  day: { type: date }
  words: { type: list, of: string, read: ${KEEPERS} }
  old: { type: string, renamed_from: { name: older }, read: ${KEEPERS} }
  total: { type: integer, computed: { sum: lines.amount } }
  cost: { type: integer, computed: { sum: lines.cost } }
  doubled: { type: integer, stored: { times: [level, 2] }, read: ${KEEPERS} }
relations:
  boss: { belongs_to: things, embed: [id, name], read: ${KEEPERS} }
  pal: { belongs_to: things, embed: [id] }
  lines: { has_many: lines, show: single, embed: [id, text, amount, cost], with_parent: true }
  pals: { has_many: things, by: pal, show: single, embed: [id, name, note] }
  tags: { many_to_many: tags, through: thing_tags, embed: [id, name] }
  marks: { many_to_many: tags, through: thing_marks, embed: [id], read: ${KEEPERS} }
nested: { pal: { path: things, actions: [list, create] }, boss: { path: staff, actions: [list] } }
policies:
  view: [${KEEPERS}, { role: member, where: { owner: $actor } }]
  create: [${KEEPERS}, { role: member, set: { owner: $actor }, fields: [name, note, day, pal, old, tags, marks] }, { role: member, where: { owner: $actor } }]
  update: [${KEEPERS}, { role: member, where: { owner: $actor } }, { role: member, fields: [name, note, pin, day, old, tags, marks] }]
  delete: [{ role: member, where: { owner: $actor } }]
  restore: [{ role: member }]
`,
}

/** What is sent: values of both applications, and others. */
const THING: Readonly<Record<string, readonly unknown[]>> = {
  name: ['n1', 'new', 'x2', null],
  note: ['note1', 'etwas1', 'q'],
  pin: ['1234', '9999', '5'],
  never: ['v', 'w'],
  level: [1, 7],
  rank: [1, 3, 4],
  fixed: ['F', 'G'],
  hidden: ['H', 'I'],
  day: ['2026-01-01', '2026-01-02', '2026-02-02'],
  words: [['a'], ['b'], 'x'],
  old: ['o', 'p', 'zz'],
  older: ['o', 'p', 'zz'],
  boss_id: [1, 2, 3, 99, null],
  pal_id: [1, 2, 3, 4, 99, null],
  tag_ids: [[1], [1, 2], [3], [1, 4], [], [2], [99]],
  mark_ids: [[1], [3], [], [2]],
  total: [1, 5],
  cost: [2, 3],
  doubled: [2, 14],
  boss: [{ id: 1, name: 'n1' }],
  tags: [[{ id: 1 }]],
  lines: [[{ text: 'c', amount: 1 }]],
}
const LINE: typeof THING = {
  text: ['l1', 's3', 'r3'],
  amount: [1, 5, 9],
  cost: [2, 3],
  thing_id: [1, 2, 3, 4, 99],
  ref_id: [1, 2, 3, 99],
}
const CHOICES = [
  'name=n1',
  'day=2026-01-01',
  'pal_id=1',
  'where={"tags":{"some":{"id":2}}}',
  'where={"lines":{"none":{}}}',
]

type Request = readonly [method: string, path: string, body?: object]

const test = suite('twins: leaks of writes')
let twins: readonly TestApplication[] = []

test.before(async () => {
  twins = [await twin(0), await twin(1)]
})
test.after(async () => {
  for (const app of twins) await app.close()
})

/** An application with hidden values of its own. */
async function twin(number: number): Promise<TestApplication> {
  const app = await application({ resources: FILES, plugins: 'test/action/plugins' })
  const or = <T>(one: T, other: T): T => (number === 0 ? one : other)
  const make = async (path: string, body: object): Promise<void> => {
    const { status, text } = await app.call('POST', `/api${path}`, { token: STAFF, body })
    assert.is(status, 201, text)
  }
  for (const n of [1, 2, 3, 4])
    await make('/tags', { name: or(`t${n}`, n % 2 ? `t${n}` : `u${n}`), shown: n % 2 === 1 })
  for (let n = 1; n <= 8; n++) {
    const own = n % 2 === 1
    await make('/things', {
      ...{
        name: own ? `n${n}` : `x${n}`,
        owner: own ? 1 : 2,
        note: or(`note${n}`, `etwas${n}`),
        pin: or('1234', '9999'),
      },
      ...{ never: or('v', 'w'), level: or(1, 7), rank: own ? n : or(3, 4), fixed: own ? 'F' : or('F', 'G') },
      ...{ hidden: or('H', 'I'), day: own ? '2026-01-01' : or('2026-01-02', '2026-02-02'), words: [or('a', 'b')] },
      ...{ old: or('o', 'p'), tag_ids: own ? or([1, 2], [1, 4]) : or([1], [3]), mark_ids: or([1], [3]) },
      ...{ boss_id: n > 2 ? or(1, 2) : null, pal_id: n > 4 ? (own ? 1 + (n % 4) : or(1, 3)) : null },
    })
  }
  for (let n = 1; n <= 10; n++) {
    const own = n % 3 > 0
    const line = {
      text: own ? `l${n}` : or(`s${n}`, `r${n}`),
      amount: own ? n : or(5, 9),
      cost: or(2, 3),
      owner: own ? 1 : 2,
    }
    await make('/lines', { ...line, thing_id: own ? 1 + (n % 8) : or(1, 3), ref_id: n > 2 ? or(1, 2) : null })
  }
  return app
}

function requestOf(random: Random): Request {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const [path, values] = random() < 0.7 ? ['/things', THING] : ['/lines', LINE]
  const body = (): object =>
    Object.fromEntries(
      Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(Object.keys(values))).map((key) => [
        key,
        pick(values[key]!),
      ]),
    )
  const id = 1 + Math.floor(random() * 11)
  return pick<() => Request>([
    () => ['PATCH', `${path}/${id}`, body()],
    () => ['PATCH', `${path}/${id}`, body()],
    () => ['POST', path, body()],
    () => [
      'POST',
      `${path}/batch${pick(['', '?partial=true'])}`,
      {
        update: [
          { id, ...body() },
          { id: 1, ...body() },
        ],
      },
    ],
    () => ['PATCH', `/things?max=50&${pick(CHOICES)}`, body()],
    () => ['DELETE', `${path}/${id}`],
    () => ['POST', `${path}/${id}/restore`],
    () => ['POST', `/things/${id}/${pick(['lines', 'things'])}`, body()],
    () => ['PATCH', `/tags/${pick([1, 2, 3, 4])}`, { name: pick(['t1', 't2', 'u2']) }],
    () => ['GET', `${path}/${id}`],
    () => ['GET', `/things/${id}/${pick(['lines', 'things', 'staff', 'activity'])}`],
    () => ['GET', path],
  ])()
}

for (const seed of [3, 5])
  test(`a member is answered the same by both, seed ${seed}`, async () => {
    const random = seeded(seed)
    const answered = new Map<number, number>()
    for (let n = 0; n < 250; n++) {
      const [method, path, body] = requestOf(random)
      const [one, other] = await Promise.all(
        twins.map(async (app) => {
          const { status, text } = await app.call(method, `/api${encodeURI(path)}`, { token: ANN, body })
          // The moment of the answer, and those of records.
          // A tag is made of the text that it is about, and so of its moments.
          return [status, text.replace(/"\d{4}-\d\d-\d\dT[^"]*"|(?<="etag":)"[^,}]*"/g, '"…"')] as const
        }),
      )
      assert.equal(one, other, `${method} ${path} ${JSON.stringify(body)}`)
      answered.set(one![0], 1 + (answered.get(one![0]) ?? 0))
    }
    for (const status of [200, 201, 403, 404, 422])
      assert.ok((answered.get(status) ?? 0) > 0, `${status} of ${JSON.stringify([...answered])}`)
  })

test.run()
