/** A resource of an existing table as a file. */
import type { Json, JsonObject } from '../json.ts'
import { isChosen, type ResourceForm } from './resource.ts'
import { block, flow, scalar } from './yaml.ts'

const HEAD = '# yaml-language-server: $schema=../.plinth/resource.schema.json\n'

const POLICIES = { list: 'view', create: 'create', update: 'update', delete: 'delete' } as const

export function resourceText(form: ResourceForm): string {
  const { name, table, fields, relations, indexes, updateSets, actions } = form
  const comment = table.comment?.replace(/\s+/g, ' ').trim() ?? ''
  const lines = [
    `resource: ${name}`,
    ...(comment === '' ? [] : [`description: ${scalar(comment)}`]),
    `table: ${table.name}`,
    'existing: true        # Plinth never changes the table itself',
    `id: ${flow(idOf(form))}`,
    'timestamps: false',
    ...(actions.length === 5 ? [] : [`actions: ${flow([...actions])}`]),
  ]
  const parts = [
    `${HEAD}${lines.join('\n')}\n`,
    block('fields', fields),
    block('relations', relations),
    indexes.length === 0 ? '' : `indexes:\n${indexes.map((index) => `  - ${flow(index)}\n`).join('')}`,
    block('update_sets', Object.entries(updateSets)),
    policiesOf(form),
  ]
  return parts.filter((part) => part !== '').join('\n')
}

function idOf({ key }: ResourceForm): JsonObject {
  return {
    ...(key.type === 'integer' ? {} : { type: key.type }),
    column: key.column.name,
    ...(isChosen(key) ? { chosen: true } : {}),
  }
}

/** Nobody but administrators, until somebody writes who else. */
function policiesOf({ actions }: ResourceForm): string {
  const named = Object.entries(POLICIES).filter(([action]) => (actions as readonly string[]).includes(action))
  const admin: Json = [{ role: 'admin' }]
  const comment =
    '# Administrators alone see and change it. Whoever else may is one more clause, such as { who: signed_in }.\n'
  return `${comment}${block(
    'policies',
    named.map(([, policy]) => [policy, admin] as const),
  )}`
}

/** A file that gives the resource of a plugin another table. */
export function movedText(resource: string, table: string): string {
  const words: JsonObject = { resource, table }
  const comment = `# The database has a table of the name that ${resource} of Plinth would have, so these stand in another one.\n`
  return `${HEAD}${comment}${Object.entries(words)
    .map(([key, value]) => `${key}: ${flow(value)}\n`)
    .join('')}`
}
