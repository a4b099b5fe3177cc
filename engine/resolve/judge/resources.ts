/** Judges resources as callers meet them: paths, actions, hooks, policies that are missing, orders; and the limits of app.yaml. */
import { LIMITS } from '../../limits.ts'
import { under } from '../document-part.ts'
import { isFilledByItself, isWritten, named, type Resolution, suggest } from '../resolution.ts'
import {
  isCreatable,
  type JudgedResource,
  judge,
  judgedResources,
  listed,
  type Placed,
  type Row,
  repeated,
  table,
} from './judgement.ts'

/** Judges every resource, and the application around them. */
export function judgeResources(resolution: Resolution): void {
  const resources = judgedResources(resolution)
  for (const resource of resources) judge(resolution, RESOURCE, resource)
  const taken = new Map<string, string>()
  for (const route of resources.flatMap(routesOf)) {
    const path = route.path.toLowerCase()
    judge(resolution, ROUTE, { ...route, other: taken.get(path) })
    if (!taken.has(path)) taken.set(path, route.name)
  }
  judge(resolution, APP, resolution.definition.app)
}

/** What operators ask outside of every prefix. */
const PROBES: ReadonlySet<string> = new Set(['livez', 'readyz', 'metrics'])

const RESOURCE = table<JudgedResource>('missing_policy', [
  {
    code: 'unknown_hook',
    words: ({ draft }) => Object.entries(draft.hooks).flatMap(([action, names]) => listed(['hooks', action], names)),
    when: ({ resolution }, name) => !resolution.extensions.hooks.has(name),
    says: (_, name) => `No plugin gives a hook "${name}"`,
    details: ({ resolution }, name) => named(suggest(name, resolution.extensions.hooks.keys())),
  },
  {
    code: 'of_mismatch',
    words: (one) => ownersFieldsMissing(one).map((name) => [['of'], name]),
    says: ({ draft }, what) => `"${draft.owner}" requires the ${what}, which "${draft.name}" neither has nor sets`,
    hint: 'list it, let "where" fix it, or leave "create" out of the actions',
  },
  {
    code: 'missing_live',
    at: ({ place, value: { actions, restore } }) =>
      place(restore === true || actions === undefined ? ['restore'] : ['actions', actions.indexOf('restore')]),
    when: ({ draft: { actions, live, restoreSets } }) =>
      actions.has('restore') && (live === undefined || restoreSets === undefined),
    says: 'A record that is removed for good cannot be restored',
    hint: 'add "soft_delete: true" and "restore: true", or take restore away',
  },
  {
    at: ({ place, value }) => (value.policies === undefined ? place(['resource']) : place(['policies'], 'key')),
    says: (one) => {
      const words = policiesMissing(one)
      return words && `Nobody may ${words} "${one.draft.name}"`
    },
    hint: (one) => `add a policy for ${policiesMissing(one)}, an empty list if that is meant, or take the action away`,
    details: () => ({ severity: 'warning' }),
  },
  {
    code: 'wrong_rule',
    key: ['show_moves'],
    when: ({ draft, value }) => value.show_moves === true && !draft.actions.has('get'),
    says: 'Moves are shown with a single record',
    hint: 'add get to "actions", or take "show_moves" away',
  },
  {
    code: 'duplicate_path',
    at: ({ place, value }) => place([value.path === undefined ? 'resource' : 'path']),
    when: ({ draft, resolution }) =>
      (resolution.definition.app.value.prefix ?? '').replaceAll('/', '') === '' &&
      PROBES.has(draft.path) &&
      draft.actions.size > 0,
    says: ({ draft }) => `"/${draft.path}" is what operators ask of the program itself`,
    hint: 'choose another "path", or write a "prefix" in app.yaml',
  },
  {
    code: 'name_clash',
    words: ({ value }) => repeated(listed(['sort', 'default'], termsOf(value.sort?.default))),
    says: (_, name) => `The order goes by "${name}" twice`,
    hint: 'leave one of the two out: the first decides',
  },
])

/** The policies that the actions of a resource need and its file does not have, as a list in words. */
function policiesMissing({ draft, place, value: { policies } }: JudgedResource): string | undefined {
  if (policies === undefined && isWritten({ place }, ['policies'])) return undefined
  const actions = [...draft.actions, ...draft.nested.flatMap((route) => route.actions)]
  const needed = new Set(actions.map((action) => (action === 'list' || action === 'get' ? 'view' : action)))
  const missing = [...needed].filter(
    (policy) =>
      draft.policies[policy].length === 0 &&
      policies?.[policy] === undefined &&
      !isWritten({ place }, ['policies', policy]),
  )
  return missing.length === 0 ? undefined : missing.join(', ')
}

/** The names in an order that is written as a list. */
function termsOf(order: string | readonly string[] = []): readonly string[] {
  return typeof order === 'string' ? [] : order.map((term) => term.replace(/^-/, ''))
}

/** Required fields of the table's owner that a new record would lack. */
function ownersFieldsMissing({ draft, resolution }: JudgedResource): readonly string[] {
  const owner = resolution.drafts.get(draft.owner)
  if (owner === undefined || owner === draft || !isCreatable(draft)) return []
  const given = new Set(draft.scopeSets.map(({ field }) => field.column))
  const missing = [...owner.fields.values()].filter(
    (field) =>
      field.required && !draft.fields.has(field.name) && !given.has(field.column) && !isFilledByItself(owner, field),
  )
  return missing.map(({ name, relation }) => (relation === undefined ? `field "${name}"` : `relation "${relation}"`))
}

/** A path below which a resource is reached, at its place in the file. */
interface Route extends Placed {
  readonly name: string
  readonly path: string
}

function routesOf({ draft, place, resolution, value }: JudgedResource): readonly Route[] {
  const { actions, name, nested, path } = draft
  const routes = nested.map(({ path, relation }) => ({
    name,
    path: `${resolution.drafts.get(relation.target)?.path}/{id}/${path}`,
    place: under(place, 'nested', relation.name),
  }))
  const at = value.path === undefined ? 'resource' : 'path'
  return actions.size === 0 ? routes : [{ name, path, place: under(place, at) }, ...routes]
}

const ROUTE = table<Route & { readonly other: string | undefined }>('duplicate_path', [
  {
    says: ({ other, path }) => other !== undefined && `The path "/${path}" is the one of "${other}" already`,
    hint: 'give one of them another "path"',
  },
])

type App = Resolution['definition']['app']

/** Limits: the first is never above the second. */
const ORDERED_LIMITS = [
  ['includedDefault', 'includedMost'],
  ['streamsPerCaller', 'streams'],
  ['changeKeepMs', 'changeKeepFailedMs'],
] as const

const APP = table<App>('wrong_limit', [
  {
    at: ['limits', 'perPageDefault'],
    says: ({ value: { limits = {} } }) => {
      const { perPageDefault: usual, perPageMax: most = LIMITS.perPageMax } = limits
      return usual === undefined || usual <= most
        ? undefined
        : `A page cannot have ${usual} records by itself and ${most} at most`
    },
    hint: 'lower perPageDefault, or raise perPageMax',
  },
  ...ORDERED_LIMITS.map(
    ([less, more]): Row<App> => ({
      at: ['limits', less],
      says: ({ value: { limits = {} } }) => {
        const [least, most] = [limits[less], limits[more]]
        return least === undefined || most === undefined || least <= most
          ? undefined
          : `"${less}" (${least}) is above "${more}" (${most})`
      },
      hint: `lower ${less}, or raise ${more}`,
    }),
  ),
])
