/** Files as desks and spreadsheets write them: encodings, separators, titles of their own, lines of all kinds. */
import { readFile } from 'node:fs/promises'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Desk, openDesk } from '../../desk/desk.ts'
import { sendParts } from '../media/world.ts'

const csv = suite('files of others')

let desk: Desk

csv.before(async () => {
  desk = await openDesk()
})

csv.after(() => desk.close())

function importText(value: string | Uint8Array, query = '') {
  return sendParts(desk, 'POST', `/tickets/import${query}`, desk.admin, [{ name: 'file', value, file: 'tickets.csv' }])
}

async function subjectOf(answer: Awaited<ReturnType<typeof importText>>): Promise<unknown> {
  assert.is(answer.at('data.imported'), 1, answer.text)
  return (await desk.get(`/tickets/${answer.at('data.ids.0')}`, desk.admin)).at('data.subject')
}

csv('the encoding of a file is recognised and said', async () => {
  const text = 'Subject;Details\nStörung – „Ärger“ für 5 €;x\n'
  const windows = Buffer.from(
    text.replace(/[–„“€]/g, (one) => ({ '–': '\x96', '„': '\x84', '“': '\x93', '€': '\x80' })[one] ?? ''),
    'latin1',
  )
  const big = Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
  const files: readonly (readonly [string, Uint8Array])[] = [
    ['utf-8', Buffer.from(text)],
    ['utf-8', Buffer.from(`\ufeff${text}`)],
    ['utf-16le', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', big],
    ['windows-1252', windows],
  ]
  for (const [encoding, bytes] of files) {
    const answer = await importText(bytes, '?again=true')
    assert.is(await subjectOf(answer), 'Störung – „Ärger“ für 5 €', encoding)
    assert.is(answer.at('data.file.encoding'), encoding)
    assert.is(answer.at('data.file.separator'), ';')
  }
})

csv('semicolons, tabs and commas are told apart by the titles that are known', async () => {
  for (const [separator, header, row] of [
    [';', 'Subject;Due Date', 'A, with a comma;2027-01-31'],
    ['\t', 'Subject\tDue Date', 'A, b; c\t2027-01-31'],
    [',', 'Subject,Due Date', 'A; b,2027-01-31'],
    [',', 'Subject', 'A; b'],
    [';', '"Subject";"Tags"', '"A, b";"one;two"'],
  ] as const) {
    const answer = await importText(`${header}\n${row}\n`, '?again=true')
    assert.is(await subjectOf(answer), row.split(separator)[0]?.replaceAll('"', ''), answer.text)
    assert.is(answer.at('data.file.separator'), separator)
  }
})

csv('errors name the line, the column and the value, whatever ends the lines and however many a cell has', async () => {
  for (const end of ['\n', '\r\n', '\r']) {
    const rows = ['one,"a', 'b",Low', '', '', 'three,c,Nowhere', 'four,"d', '', 'e",Low', `six,f,${'x'.repeat(200)}`]
    const answer = await importText(['Title,Details,Priority', ...rows].join(end), '?map=Title:Subject&dry_run=true')
    const told = answer.at('data.errors') as { row: number; cells: Record<string, unknown> }[]
    assert.equal(
      told.map(({ row }) => row),
      [6, 10],
      JSON.stringify(end),
    )
    assert.equal(told[0]?.cells, { priority_id: { column: 'Priority', value: 'Nowhere' } })
    assert.equal(told[1]?.cells, { priority_id: { column: 'Priority', value: 'x'.repeat(100) } })
  }
  const answer = await importText(`Title\n${'x'.repeat(256)}\n`, '?map=Title:Subject')
  assert.is(answer.at('data.errors.0.cells.subject.column'), 'Title')
  assert.match((await importText('Subject\r\n"a\r\nb"\r\n"c\r\n')).text, /the row of line 4/)
})

csv('what spreadsheets add is no content: sep=, rows of separators alone, empty columns at the end', async () => {
  for (const [text, separator] of [
    ['sep=;\r\nSubject;Tags;;\r\nA, b;x;;\r\n;;;\r\n ; ; ;\r\n', ';'],
    ['SEP=,\nSubject,Tags\n"A, b",x\n,\n', ','],
    ['sep=\t\nSubject\tTags\t\nA, b\tx\t\n', '\t'],
    ['Subject;Tags;;;\n"A, b";x;;;\n;;;;\n', ';'],
  ] as const) {
    const answer = await importText(text, '?again=true')
    assert.is(await subjectOf(answer), 'A, b', text)
    assert.equal([answer.at('data.total'), answer.at('data.file.separator')], [1, separator], text)
  }
  const lines = await importText('sep=;\nSubject;Priority\n;\nBad;Nowhere\n', '?dry_run=true')
  assert.is(lines.at('data.errors.0.row'), 4)
  const lost = await importText('Subject;;\nA;;lost\n')
  assert.match(lost.text, /The row has 3 cells, and the first line has 1/)
})

csv('the report says what is not kept', async () => {
  const answer = await importText('Title,Details,Mood\nA,<p>x</p>,good\nB,plain <b>,bad\n', '?map=Title:Subject,*:')
  assert.equal(answer.at('data.notes'), [{ row: 2, column: 'Details', note: 'HTML was made text' }])
  assert.equal(answer.at('data.file.left_out'), ['Mood'])
})

csv('a dry run says what would be', async () => {
  const answer = await importText('Subject,Priority\nFine,Low\nBad,None\n', '?dry_run=true')
  assert.is(answer.at('data.dry_run'), true)
  assert.match(
    String(answer.at('message')),
    /^1 of 2 rows would be imported, 0 skipped, 1 would fail; nothing was written$/,
  )
  assert.is((await importText('Subject\nFine\n')).at('data.dry_run'), false)
})

csv('columns have other names by map, and what is left out is said', async () => {
  const file = 'Ticket ID,Title,"Last, first",Internal: notes\n,Mapped,x,y\n'
  const map = encodeURIComponent('ticket_id:UID,Title:Subject,Last\\, first:,Internal: notes:')
  const answer = await importText(file, `?map=${map}`)
  assert.is(await subjectOf(answer), 'Mapped')
  assert.equal(answer.at('data.file.columns'), { UID: 'Ticket ID', Subject: 'Title' })
  assert.equal(answer.at('data.file.left_out'), ['Last, first', 'Internal: notes'])
  const others = await importText('Title,A,B\nMapped,1,2\n', '?map=Title:Subject,*:')
  assert.equal(others.at('data.file.left_out'), ['A', 'B'])
})

csv('a file of another desk is imported as the page says, and known when it is sent again', async () => {
  const page = await readFile('resources/DESK.md', 'utf8')
  const [, query = ''] = /file=@zendesk\.csv[\s\S]*?\/tickets\/import(\?[^']+)'/.exec(page) ?? []
  assert.match(query, /dry_run=true&map=/)
  const file = 'Ticket ID,Title,Brand\n35436,Printer jams,Main\n35437,Screen flickers,Main\n'
  const dry = await importText(file, query)
  assert.equal([dry.at('data.imported'), dry.at('data.errors')], [2, []], dry.text)
  const done = await importText(file, query.replace('dry_run=true&', ''))
  assert.is(done.at('data.imported'), 2, done.text)
  assert.is((await importText(file, query.replace('dry_run=true&', ''))).at('data.skipped'), 2)
  const { list } = await desk.get('/tickets?search=35437', desk.admin)
  assert.is(list[0]?.subject, 'Screen flickers')
})

csv('all that is wrong with the first line is told at once', async () => {
  const answer = await importText('Prioritty,,Asignee,Tags,tags\nx,,y,z,\n')
  const told = answer.at('errors.file') as string[]
  assert.is(answer.status, 422)
  assert.match(told.join('\n'), /unknown column "Prioritty"; did you mean "Priority"\?/)
  assert.match(told.join('\n'), /unknown column "Asignee"/)
  assert.match(told.join('\n'), /"Tags" twice/)
  assert.match(told.join('\n'), /no column "Subject"/)
  assert.match(told.join('\n'), /a column without a title/)
  assert.match(String(told.at(-1)), /Known columns are: UID, Subject/)
  for (const [map, sentence] of [
    ['Titel:Subject', /"Titel", which is no column of the file; did you mean "Title"\?/],
    ['Title:Subjct', /unknown column "Subjct"; did you mean "Subject"\?/],
    ['Title', /not in the form Title:Column/],
    ['Title:Subject,title:Details', /"title" twice/],
    ['*:Subject', /write \*:/],
  ] as const) {
    const refused = await importText('Title\nx\n', `?map=${encodeURIComponent(map)}`)
    assert.is(refused.status, 422)
    assert.match(String((refused.at('errors.map') as string[])[0]), sentence)
  }
})

csv.run()
