/** Records that a file has in further columns of a row: comments of tickets. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'
import { application } from '../../support/application.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('comments in files')

let desk: Desk
let manager: Person

csv.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
})
csv.after(() => desk.close())

function send(value: string, query = '', as = manager) {
  return sendParts(desk, 'POST', `/tickets/import${query}`, as, [{ name: 'file', value, file: 'tickets.csv' }])
}

csv('each filled cell of the columns Comment and Comments becomes an internal comment of whoever imports', async () => {
  const cora = await desk.person('customer', 'Cora')
  const mails = (await desk.mails()).length
  const text = [
    'Ticket ID,Subject,Customer Email,Comment,Comment,Comments,comment',
    `35436,Printer,${cora.email},01/Feb/24;ann;First,,"<p>Second</p>",Third`,
    '35437,Screen,,,,,',
  ].join('\n')
  const answer = await send(text, '?map=Ticket%20ID:UID')
  assert.equal([answer.at('data.imported'), answer.at('data.errors')], [2, []], answer.text)
  const [first, second] = answer.at('data.ids') as number[]
  const comments = (await desk.get(`/tickets/${first}`, manager)).at('data.comments') as Record<string, unknown>[]
  assert.equal(
    comments.map(({ comment, is_internal, user }) => [comment, is_internal, (user as { id: number }).id]),
    ['01/Feb/24;ann;First', 'Second', 'Third'].map((one) => [one, true, manager.id]),
  )
  assert.equal((await desk.get(`/tickets/${second}`, manager)).at('data.comments'), [])
  assert.equal((await desk.get(`/tickets/${first}`, cora)).at('data.comments'), [])
  const lost = 'Kept as a comment of your own, written now: who wrote it and when is left only where its text says it'
  assert.equal(answer.at('data.notes'), [
    { row: 2, column: 'Comment', note: lost },
    { row: 2, column: 'Comments', note: `HTML was made text; ${lost}` },
    { row: 2, column: 'comment', note: lost },
  ])
  assert.is((await desk.mails()).length, mails)
  // The first answer of staff is none that an import writes.
  assert.is((await desk.get(`/tickets/${first}`, manager)).at('data.first_response_at'), null)
  assert.is((await send(text, '?map=Ticket%20ID:UID')).at('data.skipped'), 2)
  assert.is((await desk.get(`/tickets/${first}/comments`, manager)).list.length, 3)
})

csv('a comment that is refused refuses its row, and the cell is told', async () => {
  const text = `Subject,Comment,Comment\nFine,Short,\nLong,Short,${'x'.repeat(65_536)}\n`
  for (const query of ['?dry_run=true', '']) {
    const answer = await send(text, query)
    assert.equal([answer.at('data.imported'), answer.at('data.failed')], [1, 1], answer.text.slice(0, 500))
    const [name = ''] = Object.keys(answer.at('data.errors.0.errors') as object)
    assert.is(name, 'comments.1.comment')
    assert.equal(answer.at('data.errors.0.cells'), { [name]: { column: 'Comment', value: 'x'.repeat(100) } })
  }
  const { list } = await desk.get('/tickets?search=Long', manager)
  assert.equal(list, [])
})

csv('who may not comment imports no comments', async () => {
  const role = { name: 'Importer', slug: 'importer', permissions: ['tickets.view', 'tickets.create', 'tickets.import'] }
  assert.is((await desk.post('/settings/roles', desk.admin, role)).status, 201)
  const importer = await desk.person('importer', 'Ines')
  const answer = await send('Subject,Comment\nWith,One\nWithout,\n', '', importer)
  assert.equal([answer.at('data.imported'), answer.at('data.failed')], [1, 1], answer.text)
  assert.match(answer.text, /tickets\.comment/)
})

csv('the export has none of them', async () => {
  const [header = ''] = (await desk.get('/tickets/export', manager)).text.split('\n')
  assert.not.match(header, /Comment/)
})

csv('a column that adds records leads over one relation, and sets fields of theirs', async () => {
  const files = (column: string) => ({
    'app.yaml': 'name: Shop\nprefix: ""\nplugins: { csv: {} }\n',
    'lines.yaml':
      'resource: lines\nfields: { text: { type: string, required: true }, kind: { type: enum, values: [a, b] } }\nrelations: { order: { belongs_to: orders, required: true } }\n',
    'orders.yaml': `resource: orders\nfields: { name: { type: string } }\nrelations: { lines: { has_many: lines } }\ncsv: { import: [{ who: anyone }], columns: { Name: name, Line: ${column} } }\n`,
  })
  for (const [column, sentence] of [
    ['{ path: lines.txt }', /csv: the column "Line": lines has no field txt/],
    ['{ path: lines.text, set: { kin: a } }', /csv: the column "Line": lines has no field kin/],
    ['{ path: lines.text, set: { kind: c } }', /csv: the column "Line": "set" cannot give kind the value "c"/],
    ['{ path: lines.text, key: true }', /csv: the column "Line" adds records, so it is no key/],
    ['{ path: name, set: { kind: a } }', /csv: the column "Line": "set" is for columns that add records/],
  ] as const) {
    const message = await application({ resources: files(column) }).then(
      (app) => app.close(),
      (error: Error) => error.message,
    )
    assert.match(String(message), sentence)
  }
})

csv.run()
