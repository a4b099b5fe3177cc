/** The plugin soft_delete: a delete hides a record instead of removing it, and a restore brings it back. */
import { type Catalog, type Diagnostic, definePlugin, type ResourceDefinition } from '../../engine/index.ts'

const ACTIONS = ['list', 'get', 'create', 'update', 'delete'] as const

export default definePlugin({
  name: 'soft_delete',
  description: 'Keeps deleted records, hidden from every answer, so that they can be restored.',
  keys: {
    soft_delete: {
      description: 'Whether delete hides a record instead of removing it; false if absent.',
      schema: { type: 'boolean', default: false, examples: [true] },
    },
    restore: {
      description: 'Whether a deleted record can be restored; needs soft_delete.',
      schema: { type: 'boolean', default: false, examples: [true] },
    },
  },
  transforms: [hideDeleted, offerRestore],
  rules: [ownersDecide],
})

function hideDeleted(resource: ResourceDefinition): ResourceDefinition {
  if (resource.soft_delete !== true || resource.of !== undefined) return resource
  return {
    ...resource,
    fields: {
      ...resource.fields,
      deleted_at: { type: 'timestamp', read_only: true, show: 'never', ...resource.fields?.deleted_at },
    },
    live: { deleted_at: { null: true }, ...resource.live },
    delete_sets: { deleted_at: '$now', ...resource.delete_sets },
  }
}

/** A resource on another's table is deleted like the owner's records, and says itself whether it restores. */
function offerRestore(resource: ResourceDefinition): ResourceDefinition {
  if (resource.restore === false && resource.of !== undefined)
    return { ...resource, actions: resource.actions ?? ACTIONS }
  if (resource.restore !== true && resource.actions?.includes('restore') !== true) return resource
  const sets = resource.soft_delete === true || resource.of !== undefined
  return {
    ...resource,
    actions: [...new Set([...(resource.actions ?? ACTIONS), 'restore' as const])],
    ...(sets ? { restore_sets: { deleted_at: null, ...resource.restore_sets } } : {}),
  }
}

/** Soft deletion is a property of the table, so only its owner can choose it. */
function ownersDecide(catalog: Catalog): readonly Diagnostic[] {
  return [...catalog.resources.values()].flatMap((resource) => {
    const { keys, live, name, owner, span } = resource
    if (keys.soft_delete === undefined || owner === name || keys.soft_delete === (live !== undefined)) return []
    const message = `"${name}" uses the table of "${owner}", which decides whether deleted records stay`
    return [{ code: 'soft_delete/owner', message, span, hint: `write soft_delete in "${owner}"` } as const]
  })
}
