/**
 * The macros plugin: with `macros: true` people can make several changes of a record at once, under a name that they
 * chose. It is a plugin because a macro is data: its fields are known when it is applied, not when the YAML is read.
 */
import { definePlugin, inSentence, type Resource, type Route } from '../../engine/index.ts'
import { applicable, apply } from './apply.ts'
import { check } from './check.ts'

const ACCESS = [
  { kind: 'permission', permission: 'macros.use' },
  { kind: 'permission', permission: 'macros.manage' },
] as const

function resourceRoutes(resource: Resource): readonly Route[] {
  if (resource.keys.macros !== true) return []
  const label = inSentence(resource.label)
  const common = { tag: resource.name, access: ACCESS } as const
  return [
    {
      ...common,
      method: 'GET',
      path: `/${resource.path}/{id}/macros`,
      summary: `List the macros that can be applied to the ${label} now`,
      output: { type: 'array', items: { $ref: '#/resources/macros/list' } },
      handle: (context) => applicable(context, resource),
    },
    {
      ...common,
      method: 'POST',
      path: `/${resource.path}/{id}/macros/{name}`,
      summary: `Apply a macro, by id or slug, to the ${label}`,
      body: 'none',
      once: true,
      dryRun: true,
      versioned: true,
      output: { $ref: `#/resources/${resource.name}` },
      handle: (context) => apply(context, resource),
    },
  ]
}

export default definePlugin({
  name: 'macros',
  description: 'Several changes of a record in one step, under a name, for every resource that says `macros: true`.',
  needs: ['auth'],
  keys: {
    macros: {
      description: 'Whether macros can be applied to records, by POST /<path>/{id}/macros/{name}; false if absent.',
      schema: { type: 'boolean', default: false, examples: [true] },
    },
  },
  resources: ['macros', 'de.words'].map((name) => new URL(`./resources/${name}.yaml`, import.meta.url)),
  hooks: { check },
  resourceRoutes,
})
