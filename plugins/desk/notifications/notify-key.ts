/** The key `notify` of a resource: its listener, the permissions that it names, and its mistakes. */
import {
  type ActionMistake,
  type Catalog,
  isObject,
  type Json,
  type JsonObject,
  nearest,
  type Plugin,
  type Resource,
} from '../../../engine/index.ts'
import { listOf } from './notification-rule.ts'
import { WRITES } from './notify-schema.ts'
import { ruleMistakes } from './rule-mistakes.ts'

const LISTENER = 'notifications.tell'

/** The field under which the log of changes knows a field or a relation. */
export function fieldOf({ fields, relations }: Resource, written: Json): string | undefined {
  const relation = relations.get(String(written))
  if (relation?.kind === 'belongs_to') return relation.field.name
  return fields.has(String(written)) ? String(written) : undefined
}

type Transform = NonNullable<Plugin['transforms']>[number]

/** Adds the listener to each resource that has the key. */
export const listenWhereTold: Transform = (resource) => {
  const { listeners = {}, notify, of } = resource
  if (!isObject(notify as Json) || of !== undefined) return resource
  const heard = WRITES.filter((write) => entriesOf(notify as Json).some(([, { on }]) => listOf(on).includes(write)))
  const added = heard.map((write) => [write, [...new Set([LISTENER, ...(listeners[write] ?? [])])]] as const)
  return { ...resource, listeners: { ...listeners, ...Object.fromEntries(added) } }
}

function entriesOf(notify: Json): readonly (readonly [string, JsonObject])[] {
  return Object.entries(isObject(notify) ? notify : {}).flatMap(([name, given]) =>
    isObject(given) ? [[name, given] as const] : [],
  )
}

function audiencesIn(notify: Json): readonly JsonObject[] {
  return entriesOf(notify).flatMap(([, { to }]) => listOf(to).filter(isObject))
}

/** The permissions that a `notify` names. */
export function permissionsIn(notify: Json): readonly string[] {
  return audiencesIn(notify).flatMap(({ permission }) => (typeof permission === 'string' ? [permission] : []))
}

/** Judges the key `notify` of a resource. */
export function checkNotify(
  notify: Json,
  { catalog, resource }: { readonly catalog: Catalog; readonly resource: Resource },
): readonly ActionMistake[] {
  if (resource.owner !== resource.name) {
    const message = `"${resource.name}" uses the table of "${resource.owner}", whose writes are heard as a whole`
    return [{ message, hint: `write notify in "${resource.owner}"` }]
  }
  return entriesOf(notify).flatMap(([name, given]) =>
    [...ruleMistakes(given, { catalog, resource, ofChange: true }), ...writeMistakes(given, resource)].map((one) => ({
      ...one,
      at: [name, ...(one.at ?? [])],
    })),
  )
}

/** An entry must wait for writes that happen, and for fields that they can change. */
function writeMistakes({ changed, on }: JsonObject, resource: Resource): readonly ActionMistake[] {
  const restores = listOf(on).includes('restore') && resource.restoreSets === undefined
  const unheard = restores ? [{ message: `"${resource.name}" are never restored`, at: ['on'] }] : []
  if (changed === undefined) return unheard
  if (!listOf(on).includes('update'))
    return [...unheard, { message: 'Only an update changes something', at: ['changed'], hint: 'name update under on' }]
  const wrong = listOf(changed).flatMap((one, index) => {
    const mistake = changedMistake(resource, one)
    return mistake === undefined ? [] : [{ ...mistake, at: Array.isArray(changed) ? ['changed', index] : ['changed'] }]
  })
  return [...unheard, ...wrong]
}

function changedMistake(resource: Resource, written: Json): Omit<ActionMistake, 'at'> | undefined {
  const name = fieldOf(resource, written)
  const field = name === undefined ? undefined : resource.fields.get(name)
  if (field === undefined) {
    const near = nearest(String(written), [...resource.fields.keys(), ...resource.relations.keys()])
    const hint = near === undefined ? {} : { hint: `did you mean "${near}"?` }
    return { message: `"${resource.name}" has no field "${written}"`, ...hint }
  }
  if (field.computed !== undefined || field.count !== undefined)
    return { message: `"${written}" is computed when it is read, so no write changes it` }
  if (field.type.hidden !== true && field.show !== 'never') return undefined
  return { message: `"${written}" is never shown, so the log of changes does not hold it` }
}
