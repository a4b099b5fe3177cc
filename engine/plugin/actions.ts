/** Actions of plugins for automations: collected by name and judged, with the plugins' own checks of their options. */
import type { ActionContribution, Actions, BoundAction } from '../automation/action.ts'
import type { Act, Automation, Catalog, Resource } from '../catalog/catalog.ts'
import { AUTOMATION_KEYS } from '../definition/rule-schema.ts'
import type { BoundRule } from '../resolve/extensions.ts'
import type { Diagnostic } from '../text/diagnostic.ts'
import { type Binder, clash, distinct, type Named, named } from './bound.ts'

/** The actions of all plugins; reports two with the same key, and a key of the language itself. */
export function actionsOf(bound: Binder, diagnostics: Diagnostic[]): Actions {
  const whole = named(bound, (plugin) => plugin.actions).filter((action) => isWhole(action, diagnostics))
  const keyed = whole.flatMap((action) =>
    action.value.key === undefined ? [] : [{ ...action, name: action.value.key }],
  )
  for (const { name, plugin } of keyed) {
    if (Object.hasOwn(AUTOMATION_KEYS, name)) diagnostics.push(clash('key of automations', name, 'plinth', plugin))
  }
  distinct('key of automations', keyed, diagnostics)
  return new Map(whole.map((action) => [`${action.plugin}.${action.name}`, action]))
}

/** A plugin in TypeScript may be imported without having been type-checked. */
function isWhole({ name, plugin, value }: Named<Partial<ActionContribution>>, diagnostics: Diagnostic[]): boolean {
  if (typeof value.run === 'function' && value.takes?.type === 'object') return true
  const message = `The action "${plugin}.${name}" does not say which options it takes, or has no run`
  diagnostics.push({ code: 'wrong_plugin', message, expected: ["takes: { type: 'object' }, run: async () => {}"] })
  return false
}

/** The checks by which plugins judge the options of each automation with their action. */
export function actionChecks(actions: Actions): readonly BoundRule[] {
  return [...actions].flatMap(([name, action]) => {
    if (action.value.check === undefined) return []
    const rule: BoundRule['rule'] = (catalog) => judged(catalog, name, action)
    return [{ plugin: action.plugin, options: action.options, rule }]
  })
}

function judged(catalog: Catalog, name: string, { options, value }: BoundAction): readonly Diagnostic[] {
  return [...catalog.resources.values()].flatMap((resource) =>
    [...resource.automations.values()].flatMap((automation) =>
      automation.actions.flatMap((act) =>
        act.kind === 'run' && act.action === name
          ? mistakes({ catalog, resource, options }, automation, act, value)
          : [],
      ),
    ),
  )
}

function mistakes(
  place: { readonly catalog: Catalog; readonly resource: Resource; readonly options: BoundAction['options'] },
  { trigger }: Automation,
  { given, place: placed }: Extract<Act, { kind: 'run' }>,
  { check }: ActionContribution,
): readonly Diagnostic[] {
  const found = check?.(given, { ...place, trigger: trigger.kind }) ?? []
  return found.map(({ at = [], ...mistake }) => ({ code: 'wrong_automation', ...mistake, span: placed(at) }))
}
