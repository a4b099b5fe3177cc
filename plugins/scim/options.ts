/** The options of the plugin: which role an account has by its groups. */
import {
  type Catalog,
  isObject,
  type JsonObject,
  type JsonSchema,
  memo,
  nearest,
  type RuleComplaint,
} from '../../engine/index.ts'

export interface ScimOptions {
  /** The first group that an account is in gives its role; undefined: groups give none. */
  readonly roles: readonly { readonly group: string; readonly role: string }[] | undefined
  /** The role of an account in none of those groups. */
  readonly otherwise: string | undefined
  /** Whether a new account is mailed a link to set a password. */
  readonly invite: boolean
}

export const OPTIONS: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  dependentRequired: { roles: ['otherwise'], otherwise: ['roles'] },
  properties: {
    roles: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['group', 'role'],
        properties: {
          group: { type: 'string', minLength: 1, maxLength: 255, description: 'The name of the group there.' },
          role: { type: 'string', description: 'The role of its members here.' },
        },
      },
      description: 'Which groups give which role; the first that an account is in counts.',
    },
    otherwise: { type: 'string', description: 'The role of an account in none of the groups.' },
    invite: {
      type: 'boolean',
      default: false,
      description:
        'Whether a new account is mailed a link to set a password; people who sign in by a provider need none.',
    },
  },
}

/** The checked options, typed. */
export const scimOptions = memo((options: JsonObject): ScimOptions => {
  const { invite, otherwise, roles } = options
  return {
    roles: Array.isArray(roles)
      ? roles.flatMap((one) => (isObject(one) ? [{ group: String(one.group), role: String(one.role) }] : []))
      : undefined,
    otherwise: typeof otherwise === 'string' ? otherwise : undefined,
    invite: invite === true,
  }
})

/** A complaint for each role of the options that there is not, and for each group that is named twice. */
export function optionMistakes({ accounts }: Catalog, options: JsonObject): readonly RuleComplaint[] {
  const { otherwise, roles = [] } = scimOptions(options)
  const groups = roles.map(({ group }) => group.toLowerCase())
  return [
    ...roles.flatMap(({ role }, at) => unknownRole(accounts?.roles, role, ['roles', at, 'role'])),
    ...(otherwise === undefined ? [] : unknownRole(accounts?.roles, otherwise, ['otherwise'])),
    ...groups.flatMap((group, at) =>
      groups.indexOf(group) === at
        ? []
        : [
            {
              code: 'scim/group_twice' as const,
              message: `The group "${roles[at]!.group}" has a role already`,
              hint: 'the first entry counts: leave the other out',
              at: ['roles', at, 'group'],
            },
          ],
    ),
  ]
}

function unknownRole(
  known: ReadonlySet<string> | undefined,
  role: string,
  at: readonly (string | number)[],
): readonly RuleComplaint[] {
  if (known === undefined || known.has(role)) return []
  const near = nearest(role, [...known])
  const hint = near === undefined ? `one of: ${[...known].join(', ')}` : `did you mean "${near}"?`
  return [{ code: 'scim/unknown_role' as const, message: `There is no role "${role}"`, hint, at: [...at] }]
}
