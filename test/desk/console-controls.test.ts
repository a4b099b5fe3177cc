/** A control of the console is there if and only if the API allows it: by role, resource, record and action, on the desk. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { Can, Catalog, Field, Json, RecordData, Resource } from '../../plugins/console/page/client/catalog.ts'
import { type Controls, controlsOf } from '../../plugins/console/page/record/controls.ts'
import { type Answer, type Desk, openDesk, type Person } from './desk.ts'

const test = suite('desk: controls of the console')
const ROLES = ['admin', 'manager', 'agent', 'customer']
/** The records of each list that are looked at: own ones and those of others. */
const EACH = 3

let desk: Desk
const people = new Map<string, Person>()
/** The fields that somebody may change, by resource: also those that a role may not. */
let known: Catalog

test.before(async () => {
  desk = await openDesk()
  people.set('admin', desk.admin)
  for (const role of ROLES.slice(1)) people.set(role, await desk.person(role, `P${role}`))
  const other = await desk.person('customer', 'Other')
  const made = async (path: string, as: Person, body: object): Promise<number> => {
    const answer = await desk.post(path, as, body)
    assert.is(answer.status, 201, `${path}: ${answer.text}`)
    return Number(answer.at('data.id'))
  }
  for (const person of [people.get('customer')!, other]) {
    const ticket = await made('/tickets', person, { subject: 'Help', details: 'It is broken' })
    await made(`/tickets/${ticket}/comments`, person, { comment: 'Please' })
    await made(`/tickets/${ticket}/comments`, people.get('agent')!, { comment: 'Internal', is_internal: true })
  }
  for (const person of people.values()) {
    await desk.post('/notes', person, { name: 'Mine', details: 'A note of my own' })
    await desk.post('/organizations', person, { name: `Firm ${person.id}` })
  }
  for (const published of [true, false])
    await made('/knowledge-base', desk.admin, { title: `Article ${published}`, details: 'How it is', published })
  known = await catalogOf(desk.admin)
})
test.after(() => desk.close())

const catalogOf = async (person: Person): Promise<Catalog> =>
  (await desk.get('//catalog.json', person)).body as object as Catalog

const below = (path: string): string => path.replace(/^\/api\/v1/, '')

/** Another value of a field; undefined where its type has none that is easily made. */
function otherValue({ relation, schema, type }: Field, now: Json): Json | undefined {
  if (relation !== undefined) return undefined
  if (schema.enum !== undefined) return schema.enum.find((word) => word !== null && word !== now)
  if (type === 'boolean') return now !== true
  if (type === 'date') return '2031-02-03'
  if (type === 'timestamp') return '2031-02-03T04:05:06.000Z'
  return type === 'string' || type === 'text' ? `${now ?? ''} x` : undefined
}

/** Whether the API refuses the caller, and not the value, which a rule of the desk may do. */
function isRefused({ at, status, text }: Answer, name: string): boolean {
  const codes = JSON.stringify(at(`error_codes.${name}`) ?? [])
  if (text.includes('You cannot confirm your own address')) return false
  return status === 403 || status === 404 || /not_writable|unknown_field/.test(codes)
}

/** What differs between the controls of a record and what the API does. */
async function differences(person: Person, resource: Resource, id: string): Promise<readonly string[]> {
  const path = `${below(resource.path)}/${encodeURIComponent(id)}`
  const read = await desk.call('GET', path, { as: person, headers: { prefer: 'can' } })
  if (read.status !== 200) return []
  const record = read.at('data') as RecordData
  const controls = controlsOf(resource, read.at('meta.can') as object as Can)
  const told: string[] = []
  const compare = (what: string, is: boolean, answer: Answer, allowed: boolean): void => {
    if (is !== allowed)
      told.push(`${path}: ${what} is ${is ? '' : 'not '}there: ${answer.status} ${answer.text.slice(0, 200)}`)
  }
  const fields = Object.entries(known.resources[nameOf(resource)]?.fields ?? {}).filter(([, { update }]) => update)
  for (const [name, field] of fields) {
    const value = otherValue(field, record[name] ?? null)
    if (value === undefined) continue
    const answer = await desk.call('PATCH', `${path}?dry_run=true`, { as: person, body: { [name]: value } })
    compare(name, controls.edit.has(name), answer, !isRefused(answer, name))
  }
  // What may not be deleted is tried; what may be deleted is still needed.
  const removed = controls.remove ? undefined : await desk.remove(path, person)
  if (removed !== undefined) compare('delete', false, removed, ![403, 404, 405].includes(removed.status))
  for (const end of Object.keys(known.resources[nameOf(resource)]?.below ?? {})) {
    const answer = await desk.call('POST', `${path}/${end}?dry_run=true`, { as: person, body: {} })
    compare(`a new one of ${end}`, end in controls.create, answer, ![403, 404, 405].includes(answer.status))
  }
  return [...told, ...(await wrongMoves(person, resource, path, record, controls))]
}

function nameOf({ path }: Resource): string {
  return Object.entries(known.resources).find(([, one]) => one.path === path)?.[0] ?? ''
}

/** What is sent to move a record to each word: the word, or the id of a record that has it. */
async function stepsOf(resource: Resource, name: string): Promise<readonly (readonly [word: string, body: object])[]> {
  const { by, words = [] } = resource.moves[name]!
  if (by === undefined) return words.map((word) => [word, { [name]: word }])
  const { field = '', to = '' } = resource.relations[name]!
  const { list } = await desk.get(`${below(known.resources[to]!.path)}?per_page=50`, desk.admin)
  return list.map((record) => [String(record[by]), { [field]: record.id }])
}

/** Moves that are offered and refused, or the other way round. */
async function wrongMoves(person: Person, resource: Resource, path: string, record: RecordData, { moves }: Controls) {
  const told: string[] = []
  for (const [name, { by }] of Object.entries(resource.moves)) {
    const present = record[name]
    const id = typeof present === 'object' && present !== null ? (present as RecordData).id : undefined
    const steps = await stepsOf(resource, name)
    const now = by === undefined ? present : steps.find(([, body]) => Object.values(body)[0] === id)?.[0]
    for (const [word, body] of steps) {
      if (now === word) continue
      const answer = await desk.call('PATCH', `${path}?dry_run=true`, { as: person, body })
      if ((moves[name] ?? []).includes(word) !== (answer.status === 200))
        told.push(`${path}: ${name} from ${now} to ${word}: ${answer.status} ${answer.text.slice(0, 200)}`)
    }
  }
  return told
}

for (const role of ROLES) {
  test(`${role}: a control is there if and only if the API allows it`, async () => {
    const person = people.get(role)!
    const { resources } = await catalogOf(person)
    const told: string[] = []
    let looked = 0
    for (const resource of Object.values(resources)) {
      const path = below(resource.path)
      const tried = await desk.call('POST', `${path}?dry_run=true`, { as: person, body: {} })
      const isOffered = known.resources[nameOf(resource)]?.actions.includes('create') === true
      if (isOffered && resource.actions.includes('create') !== (tried.status !== 403)) told.push(`${path}: create`)
      if (!resource.actions.includes('list') || !resource.actions.includes('get')) continue
      const { list } = await desk.get(`${path}?per_page=${EACH}`, person)
      for (const { id } of list) {
        looked += 1
        told.push(...(await differences(person, resource, String(id))))
      }
    }
    assert.equal(told.slice(0, 8), [])
    assert.ok(looked > 4, `${looked} records were looked at`)
  })
}

test.run()
