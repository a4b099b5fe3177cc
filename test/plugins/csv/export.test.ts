/** Exports in batches of every size, and texts that have the very characters by which the engine keeps values apart. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk, type Person } from '../../desk/desk.ts'

const csv = suite('csv exports')

let desk: Desk
let manager: Person

csv.before(async () => {
  desk = await openDesk()
  manager = await desk.person('manager', 'Mona')
})

csv.after(() => desk.close())

const run = (text: string) => desk.engine.database.adhoc.run({ text }, [])

/** Tickets of the rows that a query gives as `uid, subject, details, created_at`. */
const insert = (rows: string) =>
  run(`insert into tickets (uid, subject, details, created_at, status_id, priority_id)
    select r.*, (select min(id) from statuses), (select min(id) from priorities) from (${rows}) r`)

/** The subjects and details of an export, its first line left out. */
async function exported(query: string): Promise<readonly string[]> {
  const answer = await desk.get(`/tickets/export?bom=false&${query}`, manager)
  assert.is(answer.status, 200, answer.text.slice(0, 200))
  return answer.text.split('\n').slice(1, -1)
}

csv('what could be taken for the end of a value, or for an absent one, arrives as it is stored', async () => {
  const stored = [`a' || chr(31) || 'b`, `' || chr(30) || '`, `' || chr(31) || '`, 'plain', '']
  for (const [i, subject] of stored.entries()) await insert(`select 'o${i}', '${subject}', 'Odd', now()`)
  const rows = await exported('sort=id')
  assert.equal(
    rows.map((row) => row.split(',').slice(0, 2)),
    [
      ['o0', 'a\u001fb'],
      ['o1', '\u001e'],
      ['o2', '\u001f'],
      ['o3', 'plain'],
      ['o4', ''],
    ],
  )
  await run(`delete from tickets where details = 'Odd'`)
})

csv('a list of several large batches is whole, in order, and ends with its last record', async () => {
  const many = 8_200
  await insert(`select 'm' || i, 'Much ' || lpad(i::text, 5, '0'),
    case when i = 7000 then chr(31) else 'ü, "x"' end, timestamptz '2026-01-02 03:04:05.06+00' from generate_series(1, ${many}) i`)
  const rows = await exported('sort=subject')
  assert.is(rows.length, many)
  rows.forEach((row, i) => {
    assert.ok(row.startsWith(`m${i + 1},Much ${String(i + 1).padStart(5, '0')},`), row)
    const details = i === 6_999 ? '\u001f' : '"ü, ""x"""'
    assert.ok(row.includes(`,2026-01-02T03:04:05.060000Z,${details},`), row)
  })
  await run(`delete from tickets where subject like 'Much %'`)
})

csv('texts are guarded and quoted by what stands at their ends and inside', async () => {
  const texts = ['a+', 'a ', ' a', "'a", 'a;b', 'a;=b', 'a,b', '=a', '-', '@', 'ü', '＝a', 'a\ufeff', 'a=b', '"']
  for (const [i, text] of texts.entries())
    await insert(`select 'e${i}', '${text.replaceAll("'", "''")}', 'Ends', now()`)
  assert.equal((await exported('sort=id')).map((row) => row.slice(row.indexOf(',') + 1)).map(cell), [
    'a+',
    '"a "',
    '" a"',
    "'a",
    'a;b',
    "a;'=b",
    '"a,b"',
    "'=a",
    "'-",
    "'@",
    'ü',
    "'＝a",
    '"a\ufeff"',
    'a=b',
    '""""',
  ])
})

/** The first cell of what follows the id. */
function cell(row: string): string {
  return /^(?:"(?:[^"]|"")*"|[^,]*)/.exec(row)?.[0] ?? ''
}

csv.run()
