/** What is measured: the same work as requests to the engine and to the reference. */
import { NOTE_COUNT, TICKETS } from './data.ts'
import type { BenchRequest } from './load.ts'

export interface Workload {
  readonly name: string
  readonly engine: readonly BenchRequest[]
  readonly reference: readonly BenchRequest[]
  /** At most so many at once: what takes seconds would only wait for itself, up to the limit of a statement. */
  readonly connections?: number
}

/** What the requests are made of: ids that exist, and places in the filtered list to go on from. */
export interface Facts {
  readonly statusId: number
  readonly priorityId: number
  readonly categoryId: number
  readonly departmentId: number
  readonly typeId: number
  readonly contactId: number
  readonly agentId: number
  readonly firstTicketId: number
  /** The engine's cursor and the reference's, for the same places. */
  readonly cursors: readonly { readonly engine: string; readonly reference: string }[]
}

/** A list of tickets that is searched in their comments too. */
export const SAID = `
resource: said_tickets
path: said_tickets
of: tickets
fields: { subject: {} }
relations: { comments: { has_many: ticket_comments, by: ticket, embed: false } }
search: [subject, comments.comment]
sort: { default: id }
policies: { view: [{ permission: tickets.view }], create: [], update: [], delete: [] }
actions: [list]
`

const API = '/api/v1/tickets'
const SAID_API = '/api/v1/said_tickets'
const NOTES = '/api/v1/notes'
const TERMS = ['printer', 'refund', 'keyboard', 'charged twice', 'licence', 'stopped working']

const PAIRS = ['printer charged', 'refund missing', 'keyboard slow', 'licence update']
/** Common words, one that only comments have, and one that few have. */
const SAID_TERMS = ['printer', 'colleague', 'refund', 'before noon', 'monday', 'abc1']
const SAID_PAIRS = ['printer colleague', 'refund monday', 'keyboard noon', 'licence abc1']
/** What is typed, and what is meant; both stand in the reference's requests, which corrects nothing. */
const MISSPELT: readonly (readonly [string, string])[] = [
  ['prnter', 'printer'],
  ['refunnd', 'refund'],
  ['keybord', 'keyboard'],
  ['licencse', 'licence'],
]

function gets(paths: readonly string[], api = API): readonly BenchRequest[] {
  return paths.map((path) => ({ method: 'GET', path: api + path }))
}

const searching = (words: string): string => `?search=${encodeURIComponent(words)}`

function spread(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => (index * 7919) % TICKETS)
}

/** The list that all the read workloads share: newest first, filtered by status and priority. */
export function listPath(facts: Pick<Facts, 'statusId' | 'priorityId'>): string {
  return `?status_id=${facts.statusId}&priority_id=${facts.priorityId}&sort=created_at&order=desc`
}

/** Every workload, reads before writes, so that the reads find the data as it was made. */
export function workloads(facts: Facts): readonly Workload[] {
  const list = listPath(facts)
  const same = (name: string, requests: readonly BenchRequest[]): Workload => ({
    name,
    engine: requests,
    reference: requests,
  })
  const create = JSON.stringify({
    subject: 'Printer does not start ({n})',
    details: 'Since this morning it shows an error. '.repeat(4),
    priority_id: facts.priorityId,
    category_id: facts.categoryId,
    department_id: facts.departmentId,
    type_id: facts.typeId,
    contact_id: facts.contactId,
    assigned_to: facts.agentId,
  })
  const note = JSON.stringify({ name: 'Call back ({n})', details: 'Tomorrow morning.', user_id: facts.agentId })
  const notes = `{"create":[${Array.from({ length: 100 }, () => note).join()}]}`
  const change = JSON.stringify({ name: 'Called back ({n})' })
  const update = JSON.stringify({ subject: 'Changed subject {n}', priority_id: facts.priorityId })
  return [
    same('get, all relations', gets(spread(500).map((id) => `/${facts.firstTicketId + id}`))),
    same('list, 15 rows, exact total', gets([list])),
    {
      name: 'list by cursor, no total',
      engine: gets(facts.cursors.map((cursor) => `${list}&cursor=${encodeURIComponent(cursor.engine)}`)),
      reference: gets(facts.cursors.map((cursor) => `${list}&after=${encodeURIComponent(cursor.reference)}`)),
    },
    same('page 500, exact total', gets([`${list}&page=500`])),
    {
      name: 'list by cursor, three fields',
      engine: gets([`${list}&fields=id,subject,created_at&cursor=first`]),
      reference: gets([`${list}&short=1`]),
    },
    {
      name: 'list by cursor, a condition on comments',
      engine: gets([
        `?where=${encodeURIComponent('{"comments":{"some":{"is_internal":true}}}')}&sort=-created_at&cursor=first`,
      ]),
      reference: gets(['?commented=1']),
    },
    {
      name: 'list, a condition that reads every comment, 2 at once',
      connections: 2,
      engine: gets([`?where=${encodeURIComponent('{"comments":{"every":{"comment":{"contains":"and all"}}}}')}`]),
      reference: gets(['?every=1']),
    },
    {
      name: 'summary of 100,000 by status and month',
      engine: gets(['/summary?by=status_id,created_at:month']),
      reference: gets(['?groups=1']),
    },
    same('search', gets(TERMS.map((term) => `?search=${encodeURIComponent(term)}`))),
    same('search, two words', gets(PAIRS.map((pair) => `?search=${encodeURIComponent(pair)}`))),
    {
      name: 'search, a misspelt word',
      engine: gets(MISSPELT.map(([word]) => `?search=${word}`)),
      reference: gets(MISSPELT.map(([, word]) => `?search=${word}`)),
    },
    same('search with comments', gets(SAID_TERMS.map(searching), SAID_API)),
    same('search with comments, two words', gets(SAID_PAIRS.map(searching), SAID_API)),
    {
      name: 'search with comments, a misspelt word',
      engine: gets(
        MISSPELT.map(([word]) => searching(word)),
        SAID_API,
      ),
      reference: gets(
        MISSPELT.map(([, word]) => searching(word)),
        SAID_API,
      ),
    },
    same('create, a note', [{ method: 'POST', path: NOTES, body: note }]),
    same('create, 100 notes at once', [{ method: 'POST', path: `${NOTES}/batch`, body: notes }]),
    same(
      'update, a note',
      spread(500).map((id) => ({ method: 'PATCH', path: `${NOTES}/${1 + (id % NOTE_COUNT)}`, body: change })),
    ),
    same('create, a ticket', [{ method: 'POST', path: API, body: create }]),
    same(
      'update, a ticket',
      spread(500).map((id) => ({ method: 'PATCH', path: `${API}/${facts.firstTicketId + id}`, body: update })),
    ),
  ]
}
