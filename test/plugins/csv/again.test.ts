/** Rows that nothing names, sent again: the file doubles nothing, unless whoever sends it says so. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { application, type TestApplication } from '../../support/application.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('files that are sent again')

const FILES = {
  'app.yaml': `name: Shop
prefix: ''
plugins: { timestamps: {}, csv: { job_rows: 100 } }
`,
  'articles.yaml': `resource: articles
fields:
  title: { type: string, required: true, max: 20 }
  price: { type: integer }
policies: { view: [{ who: anyone }], create: [{ who: anyone }], delete: [{ who: anyone }] }
csv:
  import: [{ who: anyone }]
  columns: { Title: { path: title, required: true }, Price: price }
`,
}

let shop: TestApplication
let desk: Desk

csv.before(async () => {
  shop = await application({ resources: FILES })
  desk = await openDesk()
})
csv.after(async () => {
  await desk.close()
  await shop.close()
})

function send(text: string, query = '') {
  const body = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${text}\r\n--b--\r\n`
  return shop.call('POST', `/articles/import${query}`, {
    body,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  })
}

function sendTickets(value: string, query = '') {
  return sendParts(desk, 'POST', `/tickets/import${query}`, desk.admin, [{ name: 'file', value, file: 'tickets.csv' }])
}

const counts = ({ body }: Awaited<ReturnType<typeof send>>) =>
  ['imported', 'skipped', 'failed'].map((name) => body.data[name])

async function counted(word: string): Promise<number> {
  const text = 'select count(*) from articles where title like $1'
  const [row] = await shop.engine.database.adhoc.run({ text }, [`${word}%`])
  return Number(row?.[0])
}

csv('rows of an earlier import are skipped, named and counted; again=true imports them once more', async () => {
  const text = 'Title,Price\nA chair,1\nA table,x\nA chair,1\n'
  const first = await send(text)
  assert.equal(counts(first), [2, 0, 1], first.text)
  assert.equal(first.body.data.repeated, { count: 0, rows: [] })
  for (const query of ['?dry_run=true', '']) {
    const second = await send(text, query)
    assert.equal(counts(second), [0, 2, 1], second.text)
    const [one, two] = first.body.data.ids
    const rows = [
      { row: 2, id: one },
      { row: 4, id: two },
    ]
    assert.equal(second.body.data.repeated, { count: 2, rows })
    assert.match(second.body.message, /2 rows equal rows of earlier imports; the option again imports them once more/)
  }
  // Corrected, and with one more row of the kind that is there twice.
  const corrected = await send('title;price\nA chair;1\nA table;2\nA chair;1\nA chair;1\n')
  assert.equal(counts(corrected), [2, 2, 0], corrected.text)
  assert.equal(counts(await send(text, '?again=true')), [2, 0, 1])
  assert.equal(counts(await send(text)), [0, 2, 1])
})

csv('a row whose record was removed for good is imported again', async () => {
  const text = 'Title\nA lamp\n'
  const first = await send(text)
  await shop.call('DELETE', `/articles/${first.body.data.ids[0]}`)
  assert.equal(counts(await send(text)), [1, 0, 0])
  assert.equal(counts(await send(text)), [0, 1, 0])
})

csv('of the same file sent several times at once, each row is imported once', async () => {
  const text = `Title\n${Array.from({ length: 90 }, (_, n) => `At once ${n}`).join('\n')}`
  const answers = await Promise.all([send(text), send(text), send(text)])
  assert.is(await counted('At once'), 90)
  assert.is(
    answers.map(counts).reduce((sum, [imported]) => sum + imported, 0),
    90,
  )
})

csv('a drawn file that is sent again and again comes to what it came to at first', async () => {
  let word = 0
  const row = fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom('', '1', 'x'))
  const file = fc.array(row, { minLength: 1, maxLength: 70 })
  await fc.assert(
    fc.asyncProperty(file, file, async (rows, more) => {
      word += 1
      const lines = (some: typeof rows) => some.map(([title, price]) => `D${word} ${title},${price}`)
      const before = await send(['Title,Price', ...lines(rows)].join('\n'))
      const both = await send(['Title,Price', ...lines(more), ...lines(rows)].join('\n'))
      const good = [...rows, ...more].filter(([, price]) => price !== 'x').length
      assert.equal([before.body.data.imported + both.body.data.imported, await counted(`D${word} `)], [good, good])
      const third = await send(['Title,Price', ...lines(more), ...lines(rows)].join('\n'))
      assert.equal(counts(third), [0, good, rows.length + more.length - good])
    }),
    { numRuns: 10 },
  )
})

csv('so it is at a terminal', async () => {
  const path = join(shop.dataDir, 'articles.csv')
  await mkdir(shop.dataDir, { recursive: true })
  await writeFile(path, 'Title\nTerminal\n')
  for (const [args, rows] of [
    [[], 1],
    [[], 1],
    [['--again'], 2],
  ] as const) {
    assert.is(await shop.engine.command('import', ['articles', path, ...args]), 0)
    assert.is(await counted('Terminal'), rows)
  }
})

csv('of tickets, rows without a UID are known by what stands in them, beside those with one', async () => {
  const text = 'UID,Subject,Details,Notes\n,Keyless,One,a\n9001,Keyed,Two,b\n,Keyless,One,c\n'
  const first = await sendTickets(text, '?map=Notes:')
  assert.is(first.at('data.imported'), 3, first.text)
  // What is read of the file does not matter, nor how the file is written.
  for (const again of [text, text.replaceAll(',', ';')]) {
    const second = await sendTickets(again, '?map=Notes:Tags')
    assert.equal([second.at('data.imported'), second.at('data.skipped')], [0, 3], second.text)
    assert.is(second.at('data.repeated.count'), 2)
  }
})

csv.run()
