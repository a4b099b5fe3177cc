/** A client of the application: it writes what was drawn between versions, and reads and writes on while one is tried. ⇄ */
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Answer } from '../../support/answer.ts'
import type { Lists, Row } from './answers.ts'
import { isWritten } from './edit.ts'
import { type Held, heldOf, hiddenValues, type Model, unknownHeld, type Value, visible } from './model.ts'
import type { Instance } from './served.ts'
import { answerName, type Resource, STEADY, type Version } from './shape.ts'
import { countIn, countMoved, countOut } from './totals.ts'
import { drawnValue } from './values.ts'

/** One write: which resource and record, and where the values come from. */
export interface Write {
  readonly what: 'create' | 'update' | 'delete'
  readonly at: number
  readonly values: number
}

/** What the client rests between requests, so that the machine works for the change too. */
const PAUSE_MS = 40

export class Broken extends Error {}

function sound(answer: Answer, what: string): Answer {
  if (answer.status >= 500) throw new Broken(`${what} was answered with ${answer.status}: ${answer.text}`)
  return answer
}

export async function ask(served: Instance, method: string, path: string, body?: unknown): Promise<Answer> {
  return sound(await served.send(method, `/api/${path}`, body), `${method} ${path}`)
}

export async function lists(served: Instance, version: Version): Promise<Lists> {
  const found = new Map<string, readonly Row[]>()
  for (const { key, name } of version) {
    const answer = await ask(served, 'GET', `${name}?per_page=100&sort=id`)
    if (answer.status !== 200) throw new Broken(`GET ${name} was answered with ${answer.status}: ${answer.text}`)
    found.set(key, answer.list as readonly Row[])
  }
  return found
}

/** What is sent, by name, and what it means, by key. */
interface Sent {
  readonly body: Readonly<Record<string, Value>>
  readonly known: Readonly<Record<string, Value>>
}

function drawnBody(model: Model, version: Version, resource: Resource, drawn: number): Sent {
  const fields = resource.fields.filter(isWritten).map((field, at) => {
    // Greater numbers draw other values beside each other.
    const value = drawnValue(field, drawn + at * (3 + Math.floor(drawn / 20)))
    return { name: field.name, key: field.key, value }
  })
  const relations = resource.relations.map((one, at) => {
    const target = version.find(({ key }) => key === one.target)
    const ids = target === undefined ? [] : visible(model, target).map(({ id }) => id)
    const id = ids[(drawn + at) % Math.max(ids.length, 1)] ?? null
    if (one.kind === 'one') return { name: answerName(one), key: one.key, value: id }
    const some = id === null ? [] : [...new Set([id, ids[drawn % ids.length] ?? id])]
    // No name of a relation here is a plural.
    return { name: `${one.name}_ids`, key: one.key, value: some }
  })
  const all = [...fields, ...relations, { name: STEADY, key: STEADY, value: drawn }]
  return {
    body: Object.fromEntries(all.map(({ name, value }) => [name, value])),
    known: Object.fromEntries(all.map(({ key, value }) => [key, value])),
  }
}

/** What follows from a write of a value, in the record itself: nothing where it is the one that was there. */
function follow(resource: Resource, held: Held, before: Value, now: Value): void {
  if (before !== undefined && isDeepStrictEqual(before, now)) return
  for (const { key, follows, sum } of resource.fields) {
    if (follows !== undefined) held.values.set(key, before === undefined ? undefined : held.values.get(follows))
    if (sum !== undefined) held.values.set(key, undefined)
  }
}

async function create(served: Instance, model: Model, version: Version, resource: Resource, drawn: number) {
  const { body, known } = drawnBody(model, version, resource, drawn)
  const answer = await ask(served, 'POST', resource.name, body)
  const unsent = Object.keys(answer.body.errors ?? {}).filter((field) => !(field in body))
  if (unsent.length > 0) throw new Broken(`POST ${resource.name} was refused for what nobody sends: ${answer.text}`)
  if (answer.status !== 201) return
  const held = unknownHeld(Number(answer.at('data.id')), { ...hiddenValues(model, resource), ...known })
  for (const { key, total, default: given = null, ...field } of resource.fields)
    if (total !== undefined) held.values.set(key, given)
    else if (!isWritten({ key, ...field })) held.values.set(key, undefined)
  follow(resource, held, null, held.id)
  heldOf(model, resource).push(held)
  countIn(model, version, resource, held)
}

async function update(served: Instance, model: Model, version: Version, resource: Resource, held: Held, drawn: number) {
  const { body, known } = drawnBody(model, version, resource, drawn)
  const names = Object.keys(body)
  const name = names[drawn % names.length] ?? STEADY
  const key = Object.keys(known)[drawn % names.length] ?? STEADY
  const answer = await ask(served, 'PATCH', `${resource.name}/${held.id}`, { [name]: body[name] })
  if (answer.status !== 200) return
  const before = held.values.get(key)
  held.values.set(key, known[key])
  follow(resource, held, before, known[key])
  countMoved(model, version, resource, held, key, before)
}

function unlink(model: Model, version: Version, { key }: Resource, id: number): void {
  for (const resource of version)
    for (const relation of resource.relations)
      if (relation.target === key && relation.kind === 'many')
        for (const { values } of heldOf(model, resource)) {
          const ids = values.get(relation.key)
          if (Array.isArray(ids))
            values.set(
              relation.key,
              ids.filter((one) => one !== id),
            )
        }
}

async function remove(served: Instance, model: Model, version: Version, resource: Resource, held: Held) {
  const answer = await ask(served, 'DELETE', `${resource.name}/${held.id}`)
  if (answer.status >= 300) return
  countOut(model, version, resource, held)
  if (resource.softDelete) {
    held.deleted = true
    return
  }
  const all = heldOf(model, resource)
  all.splice(all.indexOf(held), 1)
  unlink(model, version, resource, held.id)
}

/** Does one write, and has the model hold what was acknowledged. */
export async function write(
  served: Instance,
  model: Model,
  version: Version,
  { what, at, values }: Write,
): Promise<void> {
  const resource = version[at % Math.max(version.length, 1)]
  if (resource === undefined) return
  const shown = visible(model, resource)
  const held = shown[values % Math.max(shown.length, 1)]
  if (what === 'create' || held === undefined) return create(served, model, version, resource, values)
  if (what === 'update') return update(served, model, version, resource, held, values)
  return remove(served, model, version, resource, held)
}

/** Values that follow from a write of which nobody knows which version it met. */
export function forgetFollowing(model: Model, version: Version, written: ReadonlySet<string>): void {
  for (const resource of version)
    for (const { id, values } of heldOf(model, resource))
      if (written.has(`${resource.key} ${id}`))
        for (const { key, follows } of resource.fields) if (follows !== undefined) values.set(key, undefined)
}

/** Reads and writes the version before while `work` runs, and notes in `written` which records it wrote. */
export async function meanwhile<T>(
  served: Instance,
  model: Model,
  version: Version,
  written: Set<string>,
  work: () => Promise<T>,
): Promise<T> {
  let working = true
  const busy = async (): Promise<void> => {
    for (let count = 0; working; count += 1) {
      const resource = version[count % Math.max(version.length, 1)]
      if (resource === undefined) return
      await ask(served, 'GET', `${resource.name}?sort=id`)
      await sleep(PAUSE_MS)
      const [held] = visible(model, resource)
      if (held === undefined) continue
      const steady = 1000 + count
      const answer = await ask(served, 'PATCH', `${resource.name}/${held.id}`, { [STEADY]: steady })
      if (answer.status !== 200) continue
      held.values.set(STEADY, steady)
      written.add(`${resource.key} ${held.id}`)
    }
  }
  const client = busy()
  // What goes wrong there is told when the work is done.
  client.catch(() => undefined)
  try {
    return await work()
  } finally {
    working = false
    await client
    forgetFollowing(model, version, written)
  }
}
