/** Transform: `owned: true` gives a resource all of its policies. */
import { definePlugin, type ResourceDefinition } from '../../../../engine/index.ts'

function owned(resource: ResourceDefinition): ResourceDefinition {
  if (resource.owned !== true) return resource
  return {
    ...resource,
    policies: {
      view: [{ who: 'signed_in' }],
      create: [
        { who: 'signed_in', where: { kind: 'plain' } },
        { who: 'signed_in', where: { kind: 'odd' } },
      ],
      update: [
        { who: 'signed_in', where: { kind: 'plain', owner: '$actor' } },
        { who: 'signed_in', where: { kind: 'odd' }, set: { is_touched: true } },
      ],
      delete: [
        { who: 'signed_in', where: { is_touched: true } },
        { who: 'signed_in', where: { kind: 'never' } },
      ],
    },
  }
}

export default definePlugin({
  name: 'owned',
  description: 'Policies that stand in no file.',
  keys: { owned: { description: 'Whether records have owners.', schema: { type: 'boolean' } } },
  transforms: [owned],
})
