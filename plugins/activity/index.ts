/** The activity plugin: `activity: true` keeps who changed what, from which value to which, and lets it be read. */
import { type Access, definePlugin, type Resource, type ResourceDefinition, type Route } from '../../engine/index.ts'
import { readActivity } from './read.ts'
import { takeOver } from './take-over.ts'

export { type Change, changesShown, describe } from './describe.ts'

/** What is read here is the log of changes, which each write's own statement writes. */
function keepActivity(resource: ResourceDefinition): ResourceDefinition {
  return resource.activity === true ? { ...resource, log_changes: true } : resource
}

/** Whoever may see some of the records, once signed in; which ones, the clauses say when a record is read. */
function readers({ policies }: Resource): readonly Access[] {
  return policies.view.map(({ access: [first] }) =>
    first === undefined || first.kind === 'anyone' ? { kind: 'signed_in' } : first,
  )
}

function resourceRoutes(resource: Resource): readonly Route[] {
  if (resource.keys.activity !== true) return []
  const label = resource.label.toLowerCase()
  return [
    {
      method: 'GET',
      path: `/${resource.path}/{id}/activity`,
      summary: `List what was changed on one ${label}, newest first`,
      tag: resource.name,
      access: readers(resource),
      query: {
        page: { type: 'integer', min: 1, description: 'The page, from 1.' },
        per_page: { type: 'integer', min: 1, description: 'Rows on a page; 100 at most.' },
      },
      output: OUTPUT,
      meta: { pagination: { $ref: '#/components/schemas/Pagination' } },
      handle: (context) => readActivity(context, resource),
    },
  ]
}

const NAME = { type: ['string', 'null'], description: 'What the value refers to, by its name.' }

const OUTPUT = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'action', 'description', 'changes', 'user', 'automation', 'created_at'],
    properties: {
      id: { type: 'integer' },
      action: { type: 'string', enum: ['created', 'updated', 'deleted', 'restored'] },
      description: { type: 'string', examples: ['Status changed from Open to Pending'] },
      changes: {
        type: 'array',
        items: {
          type: 'object',
          required: ['field', 'label', 'from', 'to'],
          properties: {
            field: { type: 'string' },
            label: { type: 'string' },
            from: {},
            to: {},
            from_name: NAME,
            to_name: NAME,
          },
        },
      },
      user: {
        type: ['object', 'null'],
        description: 'Who did it; null: the program itself.',
        properties: { id: { type: 'integer' }, name: { type: ['string', 'null'] } },
      },
      automation: {
        type: ['string', 'null'],
        description: 'The automation that did it, as <resource>.<name>; null: none did.',
        examples: ['tickets.close_solved'],
      },
      created_at: { type: 'string', format: 'date-time' },
    },
  },
} as const

export default definePlugin({
  name: 'activity',
  description: 'Keeps who changed what, from which value to which, for every resource that says `activity: true`.',
  keys: {
    activity: {
      description: 'Whether changes are kept and can be read at GET /<path>/{id}/activity; false if absent.',
      schema: { type: 'boolean', default: false, examples: [true] },
    },
  },
  transforms: [keepActivity],
  resourceRoutes,
  start: takeOver,
})
