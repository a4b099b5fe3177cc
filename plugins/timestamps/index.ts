/** The plugin timestamps: every record has the times of its creation and of its last real change. */
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
  resources: [new URL('./resources/de.words.yaml', import.meta.url)],
})

/**
 * A resource on another's table has the times of that table, so only the owner of a table gets the fields here, and a
 * table of the engine's own has the columns that the engine gives it.
 */
function addMoments(resource: ResourceDefinition): ResourceDefinition {
  const isEngines = resource.table?.startsWith('plinth_') === true
  if (resource.timestamps === false || resource.of !== undefined || isEngines) return resource
  return {
    ...resource,
    // The author's own keys win: another show, a label.
    fields: {
      ...resource.fields,
      created_at: { ...MOMENT, immutable: true, ...resource.fields?.created_at },
      updated_at: { ...MOMENT, ...resource.fields?.updated_at },
    },
    update_sets: { updated_at: '$now', ...resource.update_sets },
  }
}
