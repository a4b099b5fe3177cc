/** ⇄ Writes that follow from a write: the program itself makes them in the same transaction, as any other. */
import type { Field, Resource } from '../catalog/catalog.ts'
import { ApiError } from '../error.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import type { Records } from './context.ts'
import type { Execution } from './execution.ts'
import { writtenValues } from './written-values.ts'

/** Gives another record values. Throws conflict in its own sentences where it is refused, since its fields are none of the caller's body. */
export async function updateOther(around: Execution, target: Resource, id: Id, values: JsonObject): Promise<void> {
  await told(target, async () => {
    const { body, fixed } = writtenValues(target, values)
    await recordsOf(around, target).update(id, body, { fixed })
  })
}

/** Clears the key of another record, whoever may write it. Throws as `updateOther` does. */
export async function clearKey(around: Execution, target: Resource, id: Id, key: Field): Promise<void> {
  await told(target, async () => {
    await recordsOf(around, target).update(id, {}, { fixed: { [key.name]: null } })
  })
}

/** Creates another record. Throws as `updateOther` does. */
export async function createOther(around: Execution, target: Resource, values: JsonObject): Promise<void> {
  await told(target, async () => {
    const { body, fixed } = writtenValues(target, values)
    await recordsOf(around, target).create(body, fixed)
  })
}

/** Deletes another record. Throws conflict where that is refused. */
export async function deleteOther(around: Execution, target: Resource, id: Id): Promise<void> {
  await recordsOf(around, target).delete(id)
}

/** Records as the program itself writes them; others may still refer to what it changes. */
function recordsOf(around: Execution, { name }: Resource): Records {
  return around.contextOf({ ...around, sharesKeys: true }, {}).records(name, 'system')
}

async function told(target: Resource, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'validation_failed') throw error
    const sentences = Object.values(error.params.errors ?? {}).flat()
    throw new ApiError('conflict', { message: `${target.label}: ${sentences.join('; ')}` })
  }
}
