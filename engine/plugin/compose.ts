/** Composes plugins into one set of contributions, each with the options of its plugin, and reports clashes. */
import type { Hook } from '../action/context.ts'
import type { BoundHook } from '../action/execution.ts'
import type { Actions } from '../automation/action.ts'
import type { ListenerContribution } from '../change/listener.ts'
import type { Document, PluginsDefinition, Vocabulary } from '../definition/definition.ts'
import { RESOURCE_KEYS } from '../definition/schema.ts'
import type { PluginCheck } from '../doctor/examine.ts'
import type { PluginFiles } from '../dump/stored-files.ts'
import { FIELD_TYPES } from '../field/index.ts'
import type { Route } from '../http/route.ts'
import type { JobContribution } from '../job/job.ts'
import type { Extensions } from '../resolve/extensions.ts'
import { resolveFields } from '../resolve/fields.ts'
import type { Collected, Diagnostic } from '../text/diagnostic.ts'
import { durationMs } from '../text/duration.ts'
import { actionChecks, actionsOf } from './actions.ts'
import { type Binder, type Bound, clash, distinct, named } from './bound.ts'
import { KEEP } from './keep.ts'
import { keysOf } from './keys.ts'
import { checkOptions } from './options.ts'
import { orderPlugins } from './order.ts'
import type {
  Actors,
  Authenticate,
  CommandContribution,
  HookContribution,
  Identify,
  PeopleContribution,
  Plugin,
  ResourceRoutes,
} from './plugin.ts'
import { STATISTICS, TIDY, TIDY_FILES } from './tidy.ts'
import { TIDY_AUTOMATIONS } from './tidy-automations.ts'
import { TIDY_CHANGES } from './tidy-changes.ts'

export type { Bound } from './bound.ts'

export interface Composition {
  /** In order. */
  readonly plugins: readonly Plugin[]
  /** What the language gains. */
  readonly vocabulary: Vocabulary
  /** What the catalog's passes need. */
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
  readonly identify: Bound<Identify> | undefined
  readonly actors: Bound<Actors> | undefined
  readonly people: Bound<PeopleContribution> | undefined
  readonly start: readonly Bound<NonNullable<Plugin['start']>>[]
  /** Resource files that plugins bring along. */
  readonly resources: readonly Bound<URL>[]
  readonly commands: ReadonlyMap<string, Bound<CommandContribution>>
  /** What `plinth doctor` looks at beside the engine's own. */
  readonly checks: readonly PluginCheck[]
  /** Files outside of the database. */
  readonly files: readonly PluginFiles[]
}

/**
 * Composes plugins with their options as app.yaml has them. There is a value beside complaints too, so that later stages
 * find their own mistakes; nothing may run on it then.
 */
export function compose(
  plugins: readonly Plugin[],
  options: Document<PluginsDefinition>,
): Required<Collected<Composition>> {
  const { value: ordered, diagnostics: circles } = orderPlugins(plugins)
  const checked = ordered.map((plugin) => ({ plugin, ...checkOptions(plugin, options) }))
  const bound: Binder = (pick) =>
    checked.flatMap(({ plugin, options }) =>
      pick(plugin).map((value) => Object.freeze({ plugin: plugin.name, options, value })),
    )
  const clashes: Diagnostic[] = []
  const actions = actionsOf(bound, clashes)
  const vocabulary = vocabularyOf(ordered, bound, actions, clashes)
  const { hooks, diagnostics: inputs } = hooksOf(bound, vocabulary)
  const listeners = listenersOf(bound, clashes)
  const value: Composition = Object.freeze({
    plugins: ordered,
    vocabulary,
    extensions: {
      ...extensionsOf(bound, vocabulary, actions),
      hooks: new Map([...hooks].map(([name, hook]) => [name, hook.input.map((field) => field.name)])),
      listeners: new Map([...listeners].map(([name, { value }]) => [name, value.to ?? {}])),
      permissions: permissionsOf(bound, clashes),
      accounts: only('accounts', bound, clashes)?.value,
      pluginOptions: new Map(checked.map(({ plugin, options }) => [plugin.name, options])),
    },
    hooks,
    routes: routesOf(bound, clashes),
    resourceRoutes: bound((plugin) => (plugin.resourceRoutes === undefined ? [] : [plugin.resourceRoutes])),
    jobs: jobsOf(bound, clashes),
    listeners,
    actions,
    authenticate: only('authenticate', bound, clashes),
    identify: only('identify', bound, clashes),
    actors: only('actors', bound, clashes),
    people: only('people', bound, clashes),
    start: bound((plugin) => (plugin.start === undefined ? [] : [plugin.start])),
    resources: bound((plugin) => plugin.resources ?? []),
    commands: commandsOf(bound, clashes),
    ...outsideOf(ordered, bound),
  })
  const missing = ordered.flatMap((plugin) => missingPlugins(plugin, options))
  return {
    value,
    diagnostics: [...missing, ...circles, ...checked.flatMap((one) => one.diagnostics), ...clashes, ...inputs],
  }
}

/** The plugins that one cannot do without and app.yaml does not name. */
function missingPlugins({ name, needs = [] }: Plugin, options: Document<PluginsDefinition>): readonly Diagnostic[] {
  return needs
    .filter((needed) => !Object.hasOwn(options.value, needed))
    .map((needed) => ({
      code: 'missing_plugin',
      message: `The plugin "${name}" needs the plugin "${needed}", which is not in use`,
      span: options.place([name], 'key'),
      hint: `write ${needed}: {} beside it`,
    }))
}

/** The one contribution of a kind that an application has at most once. */
function only<K extends 'accounts' | 'actors' | 'authenticate' | 'identify' | 'people'>(
  kind: K,
  bound: Binder,
  clashes: Diagnostic[],
): Bound<NonNullable<Plugin[K]>> | undefined {
  const [first, second] = bound<NonNullable<Plugin[K]>>(({ [kind]: given }) => (given === undefined ? [] : [given]))
  if (first !== undefined && second !== undefined) clashes.push(clash(kind, '', first.plugin, second.plugin))
  return first
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
): Pick<Extensions, 'fieldTypes' | 'specials' | 'keys' | 'transforms' | 'rules' | 'actions'> {
  const specials = named(bound, (plugin) => plugin.specials)
  const transforms = bound((plugin) => plugin.transforms ?? [])
  const rules = bound((plugin) => plugin.rules ?? [])
  return {
    fieldTypes: vocabulary.fieldTypes,
    specials: new Map(specials.map(({ plugin, name, value }) => [`${plugin}.${name}`, value.values])),
    keys: keysOf(bound),
    transforms: transforms.map(({ value: transform, ...rest }) => ({ ...rest, transform })),
    rules: [...rules.map(({ value: rule, ...rest }) => ({ ...rest, rule })), ...actionChecks(actions)],
    actions: new Map([...actions].map(([name, { value }]) => [name, value.key])),
  }
}

/** What plugins say of what lies outside of the database. */
function outsideOf(plugins: readonly Plugin[], bound: Binder): Pick<Composition, 'checks' | 'files'> {
  const checks = bound(({ check }) => (check === undefined ? [] : [check]))
  return {
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
  const own = [KEEP, STATISTICS, TIDY, TIDY_AUTOMATIONS, TIDY_CHANGES, TIDY_FILES].map(
    ({ name, job }) => [name, { plugin: 'plinth', options: {}, value: job }] as const,
  )
  return new Map<string, Bound<JobContribution>>([...jobs.map((job) => [job.name, job] as const), ...own])
}

/** What is written in TypeScript may be imported without having been checked. */
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
  // A path below the prefix and the same path from the root are two places.
  const place = ({ method, path, absolute }: Route) => `${method} ${path}${absolute === true ? ' (from the root)' : ''}`
  distinct(
    'route',
    routes.map((route) => ({ ...route, name: place(route.value) })),
    clashes,
  )
  return routes
}
