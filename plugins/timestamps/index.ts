/** The plugin timestamps: every record knows when it was made and when it last really changed. */
import { definePlugin, type FieldDefinition, type ResourceDefinition } from '../../engine/index.ts'

const MOMENT: FieldDefinition = { type: 'timestamp', read_only: true, nullable: false, default: '$now' }

export default definePlugin({
  name: 'timestamps',
  description: 'Adds created_at and updated_at to every resource, given by the engine and never by a caller.',
  keys: {
    timestamps: {
      description: 'Whether records carry created_at and updated_at; true if absent.',
      schema: { type: 'boolean', default: true, examples: [false] },
    },
  },
  transforms: [addMoments],
})

/** A resource on another's table has that table's moments, so only the owner of a table gets them here. */
function addMoments(resource: ResourceDefinition): ResourceDefinition {
  if (resource.timestamps === false || resource.of !== undefined) return resource
  return {
    ...resource,
    // What the author says of them wins: another show, a label.
    fields: {
      ...resource.fields,
      created_at: { ...MOMENT, immutable: true, ...resource.fields?.created_at },
      updated_at: { ...MOMENT, ...resource.fields?.updated_at },
    },
    update_sets: { updated_at: '$now', ...resource.update_sets },
  }
}
