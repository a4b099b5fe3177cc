/** ⇄ Creating several records at once: one transaction, a savepoint each, so that a refused one takes no other with it. */

import type { Resource } from '../catalog/catalog.ts'
import { inSentence } from '../catalog/name.ts'
import { ApiError, invalid } from '../error.ts'
import { codeOf, type FieldError, fieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import type { Json, JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import type { CreateEachOptions, Creation, CreationEntry, ParentEntry } from '../run/context.ts'
import { attempt, type Execution, inTransaction, tryOut, type Within } from '../run/execution.ts'
import { readBack } from '../run/read-back.ts'
import { type Children, createChildren } from './children.ts'
import { createId, createRecord } from './create.ts'
import { canTogether, createThose, createTogether, type Made, type NewEntry, unlessRefused } from './create-together.ts'

/** What became of each entry, in order; rejects when the database fails, and then none of them is kept. */
export async function createEach(
  around: Execution,
  resource: Resource,
  entries: readonly CreationEntry[],
  { dryRun = false, only }: CreateEachOptions = {},
): Promise<readonly Creation[]> {
  return inTransaction({ ...around, bulk: true }, async (inner) => {
    const together = canTogether(inner, resource)
    const all = (careful: boolean): Promise<readonly Creation[]> =>
      (dryRun ? tryOut : attempt)(inner, async (within) => {
        const work: Work = { inner: within, resource, only, together, careful, parents: new Map() }
        const outcomes: Creation[] = []
        const unit = only === 'id' ? LIMITS.createUnit : LIMITS.batchUnit
        for (const part of partsOf(entries, unit)) outcomes.push(...(await createSome(work, part)))
        return outcomes
      })
    // What only the database knows is seldom wrong: until then a savepoint for each statement would be for nothing.
    return (together && only === 'id' ? await unlessRefused(() => all(false)) : undefined) ?? all(true)
  })
}

interface Work {
  readonly inner: Within
  readonly resource: Resource
  readonly only: CreateEachOptions['only']
  /** Whether several can be one statement. */
  readonly together: boolean
  /** Whether each statement has a savepoint, so that what the database refuses can be tried in smaller parts. */
  readonly careful: boolean
  /** What was created because entries name it. */
  readonly parents: Map<string, Id>
}

/** Entries that follow each other, at most so many, and each alone that needs others before or behind it. */
function* partsOf(entries: readonly CreationEntry[], most: number): Generator<readonly CreationEntry[]> {
  const isAlone = (entry: CreationEntry | undefined): boolean =>
    (entry?.parents ?? []).length > 0 || Object.keys(entry?.children ?? {}).length > 0
  for (let from = 0; from < entries.length; ) {
    let to = from + 1
    while (to < entries.length && to - from < most && !isAlone(entries[from]) && !isAlone(entries[to])) to += 1
    yield entries.slice(from, to)
    from = to
  }
}

/** Fewer are not halved again to find the one that the database refuses. */
const FEW = 16

/** Creates them at once where that is possible, and else each behind a savepoint of its own. */
async function createSome(work: Work, entries: readonly CreationEntry[]): Promise<readonly Creation[]> {
  const { inner, only, resource, together } = work
  const bodies = entries.map(({ fixed, input }) => ({ body: input, fixed }))
  if (together && entries.length > 1 && only === 'id') return createOfEach(work, entries, bodies)
  const texts = together && entries.length > 1 ? await createTogether(inner, resource, bodies) : []
  if (texts.length > 0) return texts.map((text) => ({ record: JSON.parse(text) as JsonObject, made: {} }))
  const outcomes: Creation[] = []
  for (const entry of entries) outcomes.push(await createOne(work, entry))
  return outcomes
}

async function createOfEach(
  work: Work,
  entries: readonly CreationEntry[],
  bodies: readonly NewEntry[],
): Promise<readonly Creation[]> {
  const { careful, inner, resource } = work
  const made = careful
    ? await unlessRefused(() => attempt(inner, (all) => createThose(all, resource, bodies)))
    : await createThose(inner, resource, bodies)
  const outcomes: Creation[] = []
  if (made === undefined && entries.length > FEW) {
    for (const part of partsOf(entries, Math.ceil(entries.length / 4))) outcomes.push(...(await createSome(work, part)))
    return outcomes
  }
  for (const [at, entry] of entries.entries()) outcomes.push(creationOf(made?.[at]) ?? (await createOne(work, entry)))
  return outcomes
}

function creationOf(made: Made): Creation | undefined {
  if (made === undefined) return undefined
  return made instanceof ApiError ? { error: made } : { record: { id: made }, made: {} }
}

async function createOne(
  { inner: around, only, parents: known, resource }: Work,
  { children = {}, fixed, input, parents = [] }: CreationEntry,
): Promise<Creation> {
  const made: Record<string, Id> = {}
  try {
    const record = await attempt(around, async (inner): Promise<JsonObject> => {
      const complete: Record<string, Json> = { ...input }
      for (const parent of parents) {
        let id = known.get(nameOf(parent))
        if (id === undefined) {
          id = await createParent(inner, parent)
          made[parent.field] = id
        }
        complete[parent.field] = id
      }
      const below = belowOf(resource, children)
      if (only !== 'id' && below.size === 0)
        return JSON.parse(await createRecord(inner, resource, complete, undefined, fixed)) as JsonObject
      const id = await createId(inner, resource, complete, fixed)
      await createChildren(inner, resource, id, below, createRecord)
      return only === 'id' ? { id } : (JSON.parse(await readBack(inner, resource, id, true)) as JsonObject)
    })
    for (const parent of parents) {
      const id = made[parent.field]
      if (id !== undefined) known.set(nameOf(parent), id)
    }
    return { record, made }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    return { error }
  }
}

/** The bodies of records to come by their relations, as a body of the record itself would bring them. */
function belowOf({ name: resource, relations }: Resource, children: CreationEntry['children'] = {}): Children {
  return new Map(
    Object.entries(children).map(([name, bodies]) => {
      const relation = relations.get(name)
      if (relation?.kind !== 'has_many') throw new Error(`${resource} has no has_many relation ${name}`)
      return [relation, bodies] as const
    }),
  )
}

function nameOf({ name, resource }: ParentEntry): string {
  return `${resource} ${name}`
}

/** Creates what a record belongs to; what is wrong with it is wrong with the field that would hold its id. */
async function createParent(inner: Within, { field, fixed, input, resource: name }: ParentEntry): Promise<Id> {
  const resource = inner.catalog.resources.get(name)
  if (resource === undefined) throw new Error(`no resource is named ${name}`)
  try {
    return await createId(inner, resource, input, fixed)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
    const mistakes = Object.values(error.params.errors ?? { record: [error.message] }).flat()
    const said = (one: FieldError | string) => `The ${inSentence(resource.label)} cannot be created: ${one}`
    throw invalid({ [field]: mistakes.map((one) => fieldError(codeOf(one), said(one))) })
  }
}
