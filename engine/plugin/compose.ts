/** Composes plugins into one set of contributions, each with the options of its plugin, and reports clashes. */

import type { Actions } from '../automation/action.ts'
import type { Additions } from '../catalog/addition.ts'
import type { ListenerContribution } from '../change/listener.ts'
import type { Document, PluginsDefinition, Vocabulary } from '../definition/definition.ts'
import { RESOURCE_KEYS } from '../definition/schema.ts'
import type { PluginCheck } from '../doctor/examine.ts'
import type { PluginFiles } from '../dump/stored-files.ts'
import { FIELD_TYPES } from '../field/index.ts'
import type { Route } from '../http/route.ts'
import type { JobContribution } from '../job/job.ts'
import type { JsonObject } from '../json.ts'
import type { BoundKey, Extensions } from '../resolve/extensions.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { Hook } from '../run/context.ts'
import type { BoundHook } from '../run/execution.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { durationMs } from '../text/duration.ts'
import { actionChecks, actionsOf } from './actions.ts'
import { addedNames } from './additions.ts'
import { type Binder, type Bound, clash, distinct, type Named, named } from './bound.ts'
import { HOUSEKEEPING } from './housekeeping.ts'
import { KEEP } from './keep.ts'
import { missingParts, missingPlugins } from './needed.ts'
import { checkOptions } from './options.ts'
import type {
  Actors,
  Authenticate,
  CommandContribution,
  HookContribution,
  Identify,
  KeyContribution,
  MailsContribution,
  PeopleContribution,
  PlanContribution,
  Plugin,
  ProvidersContribution,
  ResourceRoutes,
} from './plugin.ts'

export type { Bound } from './bound.ts'

export interface Composition {
  /** In order. */
  readonly plugins: readonly Plugin[]
  /** The words that the language gains. */
  readonly vocabulary: Vocabulary
  /** Contributions for the passes that make the catalog. */
  readonly extensions: Extensions
  /** By full name, `<plugin>.<name>`. */
  readonly hooks: ReadonlyMap<string, BoundHook>
  readonly routes: readonly Bound<Route>[]
  readonly resourceRoutes: readonly Bound<ResourceRoutes>[]
  /** By full name, `<plugin>.<name>`. */
  readonly jobs: ReadonlyMap<string, Bound<JobContribution>>
  /** By full name, `<plugin>.<name>`. */
  readonly listeners: ReadonlyMap<string, Bound<ListenerContribution>>
  /** By full name, `<plugin>.<name>`. */
  readonly actions: Actions
  readonly authenticate: Bound<Authenticate> | undefined
  readonly schemes: Readonly<Record<string, JsonObject>>
  readonly identify: Bound<Identify> | undefined
  readonly actors: Bound<Actors> | undefined
  readonly people: Bound<PeopleContribution> | undefined
  readonly mails: Bound<MailsContribution> | undefined
  readonly providers: readonly Bound<ProvidersContribution>[]
  readonly plans: readonly Bound<PlanContribution>[]
  readonly start: readonly Bound<NonNullable<Plugin['start']>>[]
  /** Resource files of plugins. */
  readonly resources: readonly Bound<URL>[]
  /** Texts of plugins, or their files. */
  readonly texts: readonly Named<string | URL>[]
  readonly commands: ReadonlyMap<string, Bound<CommandContribution>>
  /** Checks for `plinth doctor`, in addition to the engine's own. */
  readonly checks: readonly PluginCheck[]
  /** Files outside the database. */
  readonly files: readonly PluginFiles[]
}

/**
 * Composes plugins with their options from app.yaml. There is a value even with mistakes, so that later stages find
 * their own; nothing may run on it then.
 */
export function compose(
  plugins: readonly Plugin[],
  options: Document<PluginsDefinition>,
  additions: Additions = new Map(),
): Required<Collected<Composition>> {
  const { value: ordered, diagnostics: circles } = orderPlugins(plugins)
  const checked = ordered.map((plugin) => ({ plugin, ...checkOptions(plugin, options) }))
  const bound: Binder = (pick) =>
    checked.flatMap(({ plugin, options }) =>
      pick(plugin).map((value) => Object.freeze({ plugin: plugin.name, options, value })),
    )
  const clashes: Diagnostic[] = []
  const actions = actionsOf(bound, clashes)
  const added = addedNames(additions, clashes)
  const vocabulary = { ...vocabularyOf(ordered, bound, actions, clashes), views: added.views }
  const { hooks, diagnostics: inputs } = hooksOf(bound, vocabulary)
  const listeners = listenersOf(bound, clashes)
  const value: Composition = Object.freeze({
    plugins: ordered,
    vocabulary,
    extensions: {
      ...extensionsOf(bound, vocabulary, actions),
      hooks: new Map([...hooks].map(([name, hook]) => [name, hook.input.map((field) => field.name)])),
      listeners: new Map([...listeners].map(([name, { value }]) => [name, value.to ?? {}])),
      permissions: new Map([...added.permissions, ...permissionsOf(bound, clashes)]),
      additions,
      takenOver: new Map(ordered.flatMap(({ takesOver = {} }) => Object.entries(takesOver))),
      accounts: accountsOf(bound, clashes),
      pluginOptions: new Map(checked.map(({ plugin, options }) => [plugin.name, options])),
    },
    hooks,
    routes: routesOf(bound, clashes),
    resourceRoutes: bound((plugin) => (plugin.resourceRoutes === undefined ? [] : [plugin.resourceRoutes])),
    jobs: jobsOf(bound, clashes),
    listeners,
    actions,
    authenticate: authenticateOf(bound),
    identify: only('identify', bound, clashes),
    actors: only('actors', bound, clashes),
    people: only('people', bound, clashes),
    mails: only('mails', bound, clashes),
    providers: bound(({ providers }) => (providers === undefined ? [] : [providers])),
    start: bound((plugin) => (plugin.start === undefined ? [] : [plugin.start])),
    resources: bound((plugin) => plugin.resources ?? []),
    commands: commandsOf(bound, clashes),
    ...outsideOf(ordered, bound),
  })
  const before = [...ordered.flatMap((plugin) => missingPlugins(plugin, options)), ...circles]
  return { value, diagnostics: [...before, ...checked.flatMap((one) => one.diagnostics), ...clashes, ...inputs] }
}

/** The contribution of a kind that an application has at most once. */
function only<K extends 'accounts' | 'actors' | 'identify' | 'mails' | 'people'>(
  kind: K,
  bound: Binder,
  clashes: Diagnostic[],
): Bound<NonNullable<Plugin[K]>> | undefined {
  const [first, second] = bound<NonNullable<Plugin[K]>>(({ [kind]: given }) => (given === undefined ? [] : [given]))
  if (first !== undefined && second !== undefined) clashes.push(clash(kind, '', first.plugin, second.plugin))
  return first
}

/** Asks the plugins that know callers one after the other; the first that knows the caller answers. */
function authenticateOf(bound: Binder): Composition['authenticate'] {
  const all = bound(({ authenticate }) => (authenticate === undefined ? [] : [authenticate]))
  const [first] = all
  if (first === undefined || all.length === 1) return first
  const value: Authenticate = async (context) => {
    for (const one of all) {
      const actor = await one.value({ ...context, options: one.options })
      if (actor !== null) return actor
    }
    return null
  }
  return Object.freeze({ ...first, value })
}

function vocabularyOf(plugins: readonly Plugin[], bound: Binder, actions: Actions, clashes: Diagnostic[]): Vocabulary {
  const keys = named(bound, (plugin) => plugin.keys)
  for (const { name, plugin } of keys) {
    if (Object.hasOwn(RESOURCE_KEYS, name)) clashes.push(clash('key', name, 'plinth', plugin))
  }
  return {
    fieldTypes: new Map(FIELD_TYPES.map((type) => [type.name, type])),
    keys: new Map([...distinct('key', keys, clashes)].map(([name, { plugin, value }]) => [name, { plugin, ...value }])),
    plugins: new Map(plugins.map(({ name, description, options }) => [name, { description, options }])),
    actions: new Map(
      [...actions].map(([name, { plugin, value }]) => [
        name,
        { plugin, key: value.key, description: value.description, schema: value.takes },
      ]),
    ),
  }
}

function extensionsOf(
  bound: Binder,
  vocabulary: Vocabulary,
  actions: Actions,
): Pick<Extensions, 'fieldTypes' | 'specials' | 'keys' | 'transforms' | 'rules' | 'actions' | 'actionTexts'> {
  const specials = named(bound, (plugin) => plugin.specials)
  const transforms = bound((plugin) => plugin.transforms ?? [])
  const rules = bound((plugin) => plugin.rules ?? [])
  const relied = bound(({ reliesOn }) => (reliesOn === undefined ? [] : [reliesOn]))
  return {
    fieldTypes: vocabulary.fieldTypes,
    specials: new Map(specials.map(({ plugin, name, value }) => [`${plugin}.${name}`, value.values])),
    keys: keysOf(bound),
    transforms: transforms.map(({ value: transform, ...rest }) => ({ ...rest, transform })),
    rules: [
      ...rules.map(({ value: rule, ...rest }) => ({ ...rest, rule })),
      ...relied.map(({ value, ...rest }) => ({ ...rest, rule: missingParts(rest.plugin, value) })),
      ...actionChecks(actions),
    ],
    actions: new Map([...actions].map(([name, { value }]) => [name, value.key])),
    actionTexts: new Map([...actions].map(([name, { value }]) => [name, value.texts ?? (() => [])])),
  }
}

function accountsOf(bound: Binder, clashes: Diagnostic[]): Extensions['accounts'] {
  const found = only('accounts', bound, clashes)
  return found && { ...found.value, language: found.value.language?.(found.options) }
}

/** What plugins have outside of the catalog and its routes. */
function outsideOf(
  plugins: readonly Plugin[],
  bound: Binder,
): Pick<Composition, 'checks' | 'files' | 'plans' | 'schemes' | 'texts'> {
  const checks = bound(({ check }) => (check === undefined ? [] : [check]))
  return {
    plans: bound(({ plan }) => (plan === undefined ? [] : [plan])),
    texts: named(bound, (plugin) => plugin.texts),
    schemes: Object.assign({}, ...plugins.map(({ schemes = {} }) => schemes)),
    checks: checks.map(({ plugin, ...check }) => ({ name: plugin, ...check })),
    files: plugins.flatMap(({ files, name }) => (files === undefined ? [] : [{ plugin: name, ...files }])),
  }
}

function commandsOf(bound: Binder, clashes: Diagnostic[]): Composition['commands'] {
  const commands = named(bound, (plugin) => plugin.commands)
  return distinct('command', commands, clashes)
}

function permissionsOf(bound: Binder, clashes: Diagnostic[]): ReadonlyMap<string, string> {
  const permissions = named(bound, (plugin) => plugin.permissions)
  return new Map([...distinct('permission', permissions, clashes)].map(([name, { plugin }]) => [name, plugin]))
}

function hooksOf(bound: Binder, { fieldTypes }: Vocabulary) {
  const hooks = new Map<string, BoundHook>()
  const diagnostics: Diagnostic[] = []
  for (const { plugin, options, name: short, value } of named<Hook | HookContribution>(bound, ({ hooks }) => hooks)) {
    const name = `${plugin}.${short}`
    const {
      input = {},
      transaction = true,
      run,
    }: HookContribution = typeof value === 'function' ? { run: value } : value
    const fields = resolveFields(input, fieldTypes)
    diagnostics.push(...fields.diagnostics.map((one) => ({ ...one, message: `The hook "${name}": ${one.message}` })))
    hooks.set(name, Object.freeze({ name, options, input: fields.value ?? [], transaction, run }))
  }
  return { hooks, diagnostics }
}

function jobsOf(bound: Binder, diagnostics: Diagnostic[]): ReadonlyMap<string, Bound<JobContribution>> {
  const jobs = named(bound, (plugin) => plugin.jobs).map((job) => ({ ...job, name: `${job.plugin}.${job.name}` }))
  for (const { name, value } of jobs) {
    const { concurrency = 1, every, eachInstance = false, prefetch = 0 } = value
    if (every !== undefined && durationMs(every) === undefined) {
      const message = `The job "${name}" runs every "${every}", which is no length of time`
      diagnostics.push({ code: 'wrong_plugin', message, expected: ['30 minutes', '1 hour', '7 days'] })
    }
    if (eachInstance && every === undefined) {
      const message = `The job "${name}" runs on each instance, and nothing says how often`
      diagnostics.push({ code: 'wrong_plugin', message, hint: 'give it "every" too' })
    }
    if (!Number.isInteger(concurrency) || concurrency < 1) {
      const message = `The job "${name}" runs ${concurrency} times at once`
      diagnostics.push({ code: 'wrong_plugin', message, expected: ['a whole number from 1'] })
    }
    if (!Number.isInteger(prefetch) || prefetch < 0) {
      const message = `The job "${name}" takes ${prefetch} more than it runs`
      diagnostics.push({ code: 'wrong_plugin', message, expected: ['a whole number'] })
    }
  }
  const own = [KEEP, ...HOUSEKEEPING].map(
    ({ name, job }) => [name, { plugin: 'plinth', options: {}, value: job }] as const,
  )
  return new Map<string, Bound<JobContribution>>([...jobs.map((job) => [job.name, job] as const), ...own])
}

/** A plugin in TypeScript may be imported without having been type-checked. */
function isListener({ run, to }: Partial<ListenerContribution>): boolean {
  const words = typeof to === 'object' && to !== null ? Object.values(to) : undefined
  const says = words !== undefined && words.length > 0 && words.every((one) => Array.isArray(one) && one.length > 0)
  return typeof run === 'function' && (to === undefined || says)
}

function listenersOf(bound: Binder, diagnostics: Diagnostic[]): ReadonlyMap<string, Bound<ListenerContribution>> {
  const listeners = named(bound, (plugin) => plugin.listeners)
  const known = listeners.filter(({ name, plugin, value }) => {
    if (isListener(value)) return true
    const message = `The listener "${plugin}.${name}" does not say rightly what it listens to, or has no run`
    diagnostics.push({ code: 'wrong_plugin', message, expected: ["to: { tickets: ['create'] }, run: async () => {}"] })
    return false
  })
  return new Map(known.map((listener) => [`${listener.plugin}.${listener.name}`, listener]))
}

function routesOf(bound: Binder, clashes: Diagnostic[]): readonly Bound<Route>[] {
  const routes = bound((plugin) => plugin.routes ?? [])
  // A path below the prefix and the same path from the root are two paths.
  const place = ({ method, path, absolute }: Route) => `${method} ${path}${absolute === true ? ' (from the root)' : ''}`
  distinct(
    'route',
    routes.map((route) => ({ ...route, name: place(route.value) })),
    clashes,
  )
  return routes
}

/**
 * Orders plugins by name, each after those in its `after` and `needs`. Reports a circle, whose plugins keep the order
 * of names; ignores plugins that are not in use.
 */
function orderPlugins(plugins: readonly Plugin[]): Required<Collected<readonly Plugin[]>> {
  const byName = new Map([...plugins].sort((a, b) => (a.name < b.name ? -1 : 1)).map((plugin) => [plugin.name, plugin]))
  const ordered = new Set<Plugin>()
  const diagnostics: Diagnostic[] = []
  const visit = (plugin: Plugin, chain: readonly string[]): void => {
    if (ordered.has(plugin)) return
    const start = chain.indexOf(plugin.name)
    if (start >= 0) {
      const circle = [...chain.slice(start), plugin.name].join(' after ')
      if (diagnostics.length === 0)
        diagnostics.push({ code: 'plugin_cycle', message: `Plugins that each come after the other: ${circle}` })
      return
    }
    for (const name of [...(plugin.after ?? []), ...(plugin.needs ?? [])].sort()) {
      const earlier = byName.get(name)
      if (earlier !== undefined) visit(earlier, [...chain, plugin.name])
    }
    ordered.add(plugin)
  }
  for (const plugin of byName.values()) visit(plugin, [])
  return { value: [...ordered], diagnostics }
}

/** The keys that plugins add to resource files, by name; a clash is reported elsewhere. */
function keysOf(bound: Binder): ReadonlyMap<string, BoundKey> {
  return new Map(named(bound, (plugin) => plugin.keys).map((key) => [key.name, keyOf(key)]))
}

const none = (): readonly string[] => []

function keyOf({ options, plugin, value }: Named<KeyContribution>): BoundKey {
  const { check, permissions = none, roles = none, texts = none } = value
  const own = { permissions, roles, texts }
  if (check === undefined) return own
  return { ...own, check: { plugin, run: (given, catalog, resource) => check(given, { catalog, resource, options }) } }
}
