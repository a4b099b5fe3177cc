/** What happens because of a write or in time, as the files say it: values that follow, automations, computed values, removals. */
import type { Act, Automation, Field, Follow, RelatedFollow, Resource, Value } from '../catalog/catalog.ts'
import { writtenAt } from '../text/source.ts'
import { accessIn, conditionsIn, type Found } from './conditions.ts'

/** The consequences of writes to a resource, and those in time. */
export function consequencesOf(resource: Resource): readonly Found[] {
  const { automations, fields, follows, keep, name, relatedFollows } = resource
  return [
    ...[...follows, ...relatedFollows].flatMap(followParts),
    ...[...automations.values()].flatMap(automationParts),
    ...[...fields.values()].flatMap(computedParts),
    ...(keep === undefined
      ? []
      : [
          lacking('keep', keep.at, `keep of ${name}: ${keep.span} by ${keep.field.name}`, keep, resource, {
            keep: undefined,
          }),
        ]),
  ]
}

/** Something whose owner lacks it by having other values of keys. */
function lacking(
  kind: string,
  span: Found['span'],
  title: string,
  part: object,
  owner: object,
  instead: Readonly<Record<string, unknown>>,
): Found {
  return { kind, span, title, part, without: new Map([[owner, instead]]) }
}

function followParts(follow: Follow | RelatedFollow): readonly Found[] {
  const { changed, set, span, when } = follow
  const title = `follows ${set.map(({ field }) => field.relation ?? field.name).join(', ')}`
  const holder = { of: follow, span, title, part: follow }
  const single = set.length === 1
  return [
    { kind: 'follow', span, title, part: follow, without: new Map([[follow, 'nothing']]) },
    ...conditionsIn(when, { ...holder, key: 'when', whole: true }),
    ...('access' in follow ? accessIn(follow.access, [], { ...holder, key: 'access' }) : []),
    ...(changed === undefined || set.every(({ value }) => isConstant(value))
      ? []
      : [lacking('changed', span, `"changed" of ${title}`, follow, follow, { changed: undefined })]),
    ...(single ? [] : set.map((one) => settingOf(one, follow, span, title))),
  ]
}

function settingOf(one: { readonly field: Field }, part: object, span: Found['span'], title: string): Found {
  const { name, relation = name } = one.field
  return { kind: `set ${name}`, span, title: `${relation} of ${title}`, part, without: new Map([[one, 'nothing']]) }
}

function automationParts(automation: Automation): readonly Found[] {
  const { actions, name, span, trigger } = automation
  const title = `automation ${name}`
  const isTurn = trigger.kind === 'write' && trigger.changed !== undefined && !actions.every(isRepeatable)
  const shift = trigger.kind === 'moment' ? trigger.shift : undefined
  return [
    lacking('automation', span, title, automation, automation, { actions: [] }),
    ...whenParts(automation, title),
    ...(isTurn ? [lacking('changed', span, `"changed" of ${title}`, automation, trigger, { changed: undefined })] : []),
    ...(shift === undefined
      ? []
      : [lacking('shift', span, `"${shift.direction}" of ${title}`, automation, trigger, { shift: undefined })]),
    ...actions.flatMap((act) => actParts(automation, act, title)),
  ]
}

function whenParts(automation: Automation, title: string): readonly Found[] {
  const { when = [] } = automation
  return when.flatMap((condition, index) => {
    const { filter, span } = condition
    const key = `when.${index}`
    // Without a condition a schedule would act without records.
    const without: Found['without'] =
      when.length === 1 ? new Map([[automation, { when: [] }]]) : new Map([[condition, 'nothing']])
    return [
      { kind: key, span, title: `when of ${title}: ${writtenAt(span)}`, part: automation, without },
      ...conditionsIn(filter, { of: condition, key: `${key}.filter`, span, title, part: automation, whole: false }),
    ]
  })
}

function actParts(automation: Automation, act: Act, title: string): readonly Found[] {
  const { span } = act
  const without: Found['without'] = new Map([[act, 'nothing']])
  const whole = { kind: `act ${span.start}`, span, title: `${wordOf(act)} of ${title}`, part: automation, without }
  return [
    ...(automation.actions.length === 1 ? [] : [whole]),
    ...(act.kind === 'run' || act.set.length === 1
      ? []
      : act.set.map((one) => settingOf(one, automation, span, title))),
  ]
}

/** A value that is the same however often it is given. */
function isConstant(value: Value): boolean {
  if (value.kind === 'text') return value.of.every((one) => typeof one === 'string')
  return value.kind === 'operand' && value.operand.kind === 'literal'
}

/** Whether nobody can tell that something was done again. */
function isRepeatable(act: Act): boolean {
  return act.kind === 'set' && act.set.every((one) => 'value' in one && isConstant(one.value))
}

function wordOf(act: Act): string {
  if (act.kind === 'run') return act.action
  return act.kind === 'create' ? `create ${act.resource}` : 'set'
}

/** A computed value that is never there; the column of a stored one remains, and nobody reads it. */
function computedParts(field: Field): readonly Found[] {
  const { name, span, stored } = field
  const { count, sqlType } = field
  if (stored === undefined && count === undefined) return []
  const nothing = {
    stored: undefined,
    count: undefined,
    total: undefined,
    computed: `null::${sqlType}`,
    nullable: true,
  }
  return [
    lacking(
      'computed',
      span,
      `${stored === undefined ? 'computed' : 'stored'} value of ${name}`,
      field,
      field,
      nothing,
    ),
  ]
}
