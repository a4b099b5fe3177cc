/** Files for the benchmark of imports: what stands in them, and how a program written by hand brings them into their tables. */
import { createReadStream, createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import type pg from 'pg'
import { copyIn } from './copy.ts'

/** A file and the table that it goes to. */
export interface Subject {
  readonly name: 'notes' | 'tickets'
  /** The lines of the file, the header first; of two files of different `round`s, no record is the same. */
  readonly lines: (rows: number, round: number) => Iterable<string>
  /** The columns of the table that the reference fills, in its order. */
  readonly columns: readonly string[]
  /** Makes the values of those columns of a row's cells, with the ids of what the cells name. */
  readonly values: (cells: readonly string[], ids: Ids) => readonly (string | null)[]
}

/** The ids of names: `priority low` → 1. */
export type Ids = ReadonlyMap<string, string>

const KINDS = ['Call back', 'Send an offer', 'Ask again', 'Close it']

function* noteLines(rows: number, round: number): Iterable<string> {
  yield 'User,Name,Details'
  for (let i = 0; i < rows; i += 1)
    yield `admin@bench.example,${KINDS[i % KINDS.length]} ${i},"Tomorrow, before noon (${round}-${i})"`
}

const COLUMNS_OF_TICKETS = [
  'UID,Subject,Priority,Category,Department,Status,Assigned To Email,Created,Details,Type,Customer Email,Contact Email',
  'Due Date,Tags,Resolved',
].join(',')
const THINGS = ['printer', 'invoice', 'password', 'order', 'delivery', 'screen', 'account', 'backup']
const TROUBLES = ['does not start', 'is missing', 'was charged twice', 'shows an error', 'is slow today']
const FIRST_UID = 3_000_500_001

/** As another desk exports them: in part without a person who works on it, a contact, a due date, or a time of solution. */
function* ticketLines(rows: number, round: number): Iterable<string> {
  yield COLUMNS_OF_TICKETS
  const day = (from: string, days: number): string =>
    new Date(Date.parse(from) + days * 86_400_000).toISOString().slice(0, 10)
  for (let i = 0; i < rows; i += 1) {
    const [thing, trouble] = [THINGS[i % THINGS.length], TROUBLES[i % TROUBLES.length]]
    const solved = i % 3 === 0
    yield [
      FIRST_UID + round * rows + i,
      `The ${thing} ${trouble} (${round}-${i})`,
      ['Low', 'Medium', 'High'][i % 3],
      `Category ${1 + (i % 20)}`,
      `Department ${1 + (i % 8)}`,
      solved ? 'Resolved' : 'Open',
      i % 5 === 0 ? '' : `user${1 + (i % 200)}@bench.example`,
      `${day('2024-01-01', i % 300)} 09:30`,
      `"Since this morning the ${thing} ${trouble}, on every floor.\nPlease ""do"" something about it."`,
      `Type ${1 + (i % 6)}`,
      `user${201 + (i % 9_000)}@bench.example`,
      i % 4 === 0 ? '' : `contact${1 + (i % 10_000)}@bench.example`,
      i % 7 === 0 ? '' : day('2026-01-01', i % 300),
      `imported;tag-${i % 50}`,
      solved ? `${day('2024-01-03', i % 300)} 17:00` : '',
    ].join()
  }
}

const orNull = (cell = ''): string | null => (cell === '' ? null : cell)

function ticketValues(cells: readonly string[], ids: Ids): readonly (string | null)[] {
  const [uid, subject, priority, category, department, status, agent, created, details, type] = cells
  const [customer, contact, due, tags = '', resolved] = cells.slice(10)
  const id = (kind: string, name = ''): string | null => ids.get(`${kind} ${name.toLowerCase()}`) ?? null
  return [
    orNull(uid),
    orNull(subject),
    orNull(details),
    id('priorities', priority),
    id('categories', category),
    id('departments', department),
    id('statuses', status),
    id('users', agent),
    id('users', customer),
    id('types', type),
    id('contacts', contact),
    orNull(created),
    orNull(due),
    JSON.stringify(tags.split(';')),
    orNull(resolved),
  ]
}

export const SUBJECTS: readonly Subject[] = [
  {
    name: 'notes',
    lines: noteLines,
    columns: ['user_id', 'name', 'details'],
    values: ([user = '', name, details], ids) => [ids.get(`users ${user}`) ?? null, orNull(name), orNull(details)],
  },
  {
    name: 'tickets',
    lines: ticketLines,
    columns: [
      ...['uid', 'subject', 'details', 'priority_id', 'category_id', 'department_id', 'status_id', 'assigned_to'],
      ...['user_id', 'type_id', 'contact_id', 'created_at', 'due_date', 'tags', 'resolved_at'],
    ],
    values: ticketValues,
  },
]

/** Writes the file. */
export async function writeFileOf({ lines }: Subject, path: string, rows: number, round: number): Promise<void> {
  const texts = function* () {
    for (const line of lines(rows, round)) yield `${line}\n`
  }
  await pipeline(Readable.from(texts()), createWriteStream(path))
}

const IDS = `select 'priorities ' || lower(name) as name, id from priorities
  union all select 'categories ' || lower(name), id from categories union all select 'types ' || lower(name), id from types
  union all select 'departments ' || lower(name), id from departments union all select 'statuses ' || lower(name), id from statuses
  union all select 'users ' || lower(email), id from users union all select 'contacts ' || lower(email), id from contacts`

/** A value in the text format of COPY. */
function escaped(value: string | null): string {
  return value === null ? '\\N' : value.replace(/[\\\n\r\t]/g, (one) => `\\${ESCAPES[one] ?? one}`)
}

const ESCAPES: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't' }

/** Parses the file and copies its rows into the table itself, with its indexes and references, and no other look at them. */
export async function copyFile(client: pg.Client, subject: Subject, path: string): Promise<void> {
  const { rows } = await client.query<{ name: string; id: string }>(IDS)
  const ids = new Map(rows.map(({ id, name }) => [name, String(id)]))
  const pieces = async function* (): AsyncGenerator<string> {
    let piece = ''
    for await (const cells of createReadStream(path).pipe(parse({ from: 2 }))) {
      piece += `${subject
        .values(cells as string[], ids)
        .map(escaped)
        .join('\t')}\n`
      if (piece.length < 65_536) continue
      yield piece
      piece = ''
    }
    yield piece
  }
  await copyIn(client, `copy ${subject.name} (${subject.columns.join()}) from stdin`, pieces())
}
