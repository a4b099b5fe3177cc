/** Pass: what screens show: views, layout and buttons as written, judged by what answers have and lists take. */
import type { Button, Screens, View } from '../catalog/catalog.ts'
import { fieldLabel } from '../catalog/name.ts'
import type { Document } from '../definition/definition.ts'
import {
  type ButtonDefinition,
  type ConsoleDefinition,
  KEYS_OF_KINDS,
  keysOfKind,
  type ViewDefinition,
  WIDGETS,
} from '../definition/screen-schema.ts'
import type { JsonObject } from '../json.ts'
import { accessOf, declarePermissions } from './access.ts'
import { linkAssignments } from './assign.ts'
import { entries, inside, type Place, under } from './document-part.ts'
import { judgeMany, layoutOf } from './layout.ts'
import { linkFilter } from './link.ts'
import { reportUnknown } from './link-path.ts'
import {
  type Draft,
  eachDraft,
  isWritten,
  type Resolution,
  suggest,
  suggestResource,
  type Written,
} from './resolution.ts'
import { audienceOf, childAt, judgeWhen, refuseUnasked, refuseUnseen, type Seen } from './screen-paths.ts'
import { judgeTiles } from './tiles.ts'

/** Completes what screens show of every resource, and judges it. */
export function screens(resolution: Resolution): void {
  for (const { written, draft } of eachDraft(resolution)) {
    const { value } = written.document
    asked(resolution, written, draft)
    draft.screens = {
      icon: value.icon,
      views: viewsOf(resolution, written, draft),
      layout: layoutOf(resolution, written, draft),
      buttons: buttonsOf(resolution, written, draft),
    }
  }
  judgePages(resolution)
  const { console: whole } = resolution.definition.app.value
  if (whole !== undefined) judgeConsole(resolution, inside(resolution.definition.app, ['console'], whole))
}

function copy<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

/** Help, conditions and editors of fields and relations. */
function asked(resolution: Resolution, written: Written, draft: Draft): void {
  for (const [name, part] of [...written.fields, ...written.relations]) {
    const { help, when, widget } = part.value as { help?: string; when?: JsonObject; widget?: string }
    const [field, relation] = [draft.fields.get(name), draft.relations.get(name)]
    if ((help ?? when ?? widget) === undefined || (field ?? relation) === undefined) continue
    judgeWhen(resolution, draft, when, under(part.place, 'when'))
    const said = { help, when: when && copy(when), widget }
    if (field !== undefined) field.asked = said
    if (relation !== undefined) relation.asked = said
    if (widget !== undefined && field !== undefined)
      judgeWidget(resolution, widget, field.type.name, part.place(['widget']))
  }
}

function judgeWidget({ extensions, report }: Resolution, widget: string, type: string, span: ReturnType<Place>): void {
  const added = [...(extensions.additions?.values() ?? [])].flatMap(({ editors }) => [...editors])
  const widgets = new Map([...added.map(([name, { types }]) => [name, types] as const), ...Object.entries(WIDGETS)])
  const fitting = [...widgets.keys()].filter((one) => widgets.get(one)?.includes(type) === true)
  if (fitting.includes(widget)) return
  const message = widgets.has(widget)
    ? `The widget "${widget}" is not for a field of the type ${type}`
    : `Unknown widget "${widget}"`
  report('unknown_word', message, span, suggest(widget, fitting))
}

function viewsOf(resolution: Resolution, written: Written, draft: Draft): Screens['views'] {
  const { document } = written
  const all = new Map(entries(document, ['views'], document.value.views))
  const views = [...all].flatMap(([name, own]): [string, View][] => {
    const whole = alike(resolution, all, name, own)
    if (whole === undefined) return []
    const access = whole.said.for?.map(accessOf)
    for (const clause of access ?? []) declarePermissions(resolution, clause, draft.name)
    judgeView(resolution, draft, name, own, whole.said)
    const reads = (own.value.tiles ?? []).flatMap(({ from }, index) =>
      from === undefined ? [] : [{ name: from, span: own.place(['tiles', index, 'from']) }],
    )
    const { for: _for, like: _like, label, where: _where, ...said } = copy(whole.said)
    const view = { name, label: label ?? fieldLabel(name), said, where: whole.where, access, reads }
    return [[name, view]]
  })
  return new Map(views)
}

interface Whole {
  readonly said: ViewDefinition
  readonly where: readonly JsonObject[]
}

/** The view with what the view says that it is like; undefined with a complaint. */
function alike(
  resolution: Resolution,
  all: ReadonlyMap<string, Document<ViewDefinition>>,
  name: string,
  { place, value }: Document<ViewDefinition>,
  before: readonly string[] = [],
): Whole | undefined {
  const own = value.where === undefined ? [] : [copy(value.where) as JsonObject]
  if (value.like === undefined) return { said: value, where: own }
  const other = all.get(value.like)
  const way = [...before, name]
  if (other === undefined || way.includes(value.like)) {
    const message = other === undefined ? `There is no view "${value.like}"` : `"${name}" is like itself`
    const known = [...all.keys()].filter((one) => !way.includes(one))
    resolution.report('wrong_screen', message, place(['like']), suggest(value.like, known))
    return undefined
  }
  const below = alike(resolution, all, value.like, other, way)
  if (below === undefined) return undefined
  const { label: _, ...said } = below.said
  return { said: { ...said, ...value }, where: [...below.where, ...own] }
}

function judgeView(
  resolution: Resolution,
  draft: Draft,
  name: string,
  document: Document<ViewDefinition>,
  whole: ViewDefinition,
): void {
  const { place, value } = document
  // What the view is cannot be read, and so neither what goes with it.
  if (value.as === undefined && isWritten(document, ['as'])) return
  const kind = whole.as ?? 'list'
  const others = new Set(Object.values(KEYS_OF_KINDS).flat())
  for (const key of Object.keys(value)) {
    if (!others.has(key) || keysOfKind(kind).includes(key)) continue
    const fitting = Object.entries(KEYS_OF_KINDS).flatMap(([one, keys]) => (keys.includes(key) ? [one] : []))
    resolution.report('wrong_screen', `"${key}" is not for a view as ${kind}`, place([key], 'key'), {
      hint: `write as: ${fitting.join(' or ')}, or take "${key}" away`,
    })
  }
  const hasList = draft.actions.has('list')
  if (!hasList)
    resolution.report('wrong_screen', `"${draft.name}" has no list that a view could show`, place([], 'key'), {
      hint: 'add "list" to the actions, or take the view away',
    })
  const audience = audienceOf(draft, whole)
  const seen: Seen = { resolution, draft, audience, view: name }
  if (value.where !== undefined) {
    const filter = linkFilter(resolution, draft, value.where, under(place, 'where'))
    if (filter !== undefined) refuseUnasked(resolution, draft, value.where, under(place, 'where'))
  }
  for (const key of ['columns', 'card'] as const)
    for (const [index, path] of (value[key] ?? []).entries()) refuseUnseen(seen, path, place([key, index]))
  for (const key of ['title', 'color'] as const)
    if (value[key] !== undefined) refuseUnseen(seen, value[key], place([key]))
  judgeSort(resolution, draft, value, place)
  judgeKind(seen, kind, value, whole, place)
}

function judgeSort({ report }: Resolution, draft: Draft, { sort }: ViewDefinition, place: Place): void {
  const terms = sort === undefined ? [] : typeof sort === 'string' ? [sort] : sort
  for (const [index, term] of terms.entries()) {
    const name = term.replace(/^-/, '')
    if (draft.sort.keys.has(name)) continue
    const span = place(typeof sort === 'string' ? ['sort'] : ['sort', index])
    report(
      'not_sortable',
      `Lists of "${draft.name}" have no order by "${name}"`,
      span,
      suggest(name, draft.sort.keys.keys()),
    )
  }
}

/** What each kind of view needs. */
function judgeKind(seen: Seen, kind: string, own: ViewDefinition, whole: ViewDefinition, place: Place): void {
  const { draft, resolution } = seen
  const needs = (key: 'by' | 'at' | 'tiles', example: string): void => {
    if (whole[key] === undefined && !(key === 'at' && whole.from !== undefined))
      resolution.report('wrong_screen', `A view as ${kind} needs "${key}"`, place([], 'key'), {
        hint: `add ${example}`,
      })
  }
  if (kind === 'board') needs('by', 'by: status, an enum or a relation')
  if (kind === 'calendar') needs('at', 'at: due_on, a day or moment, or from and until')
  if (kind === 'figures') {
    needs('tiles', 'tiles: [{ number: count }]')
    judgeTiles(resolution, draft, own, place)
  }
  if (own.by !== undefined) judgeColumnsOf(resolution, draft, own.by, place(['by']))
  for (const key of ['at', 'from', 'until'] as const) {
    const name = own[key]
    if (name === undefined || !refuseUnseen(seen, name, place([key]))) continue
    const field = draft.fields.get(name)
    const span = place([key])
    if (field?.type.wire !== 'date' && field?.type.wire !== 'timestamp') {
      resolution.report('wrong_screen', `"${name}" is no day and no moment`, span, {
        hint: 'name a date or a timestamp',
      })
    } else refuseUnasked(resolution, draft, { [name]: { null: false } }, () => span)
  }
  if (
    own.rows !== undefined &&
    refuseUnseen(seen, own.rows, place(['rows'])) &&
    draft.relations.get(own.rows)?.kind !== 'belongs_to'
  )
    resolution.report('wrong_screen', `"${own.rows}" leads to no other record`, place(['rows']))
}

/** The field or relation whose values are the columns of a board. */
function judgeColumnsOf(resolution: Resolution, draft: Draft, name: string, span: ReturnType<Place>): void {
  const [field, relation] = [draft.fields.get(name), draft.relations.get(name)]
  const fits = field?.type.name === 'enum' || relation?.kind === 'belongs_to'
  const known = [
    ...[...draft.fields.values()].flatMap((one) => (one.type.name === 'enum' ? [one.name] : [])),
    ...[...draft.relations.values()].flatMap((one) => (one.kind === 'belongs_to' ? [one.name] : [])),
  ]
  if (fits) refuseUnasked(resolution, draft, { [name]: { null: false } }, () => span)
  else if (field === undefined && relation === undefined) reportUnknown(resolution, draft, name, span, known)
  else resolution.report('wrong_screen', `A board has no columns by "${name}"`, span, suggest(name, known))
}

function buttonsOf(resolution: Resolution, written: Written, draft: Draft): Screens['buttons'] {
  const { document } = written
  const keys = new Map<string, string>()
  const buttons = entries(document, ['buttons'], document.value.buttons).map(([name, button]): [string, Button] => {
    judgeButton(resolution, draft, button)
    const { calls, choose, key, label } = button.value
    const taken = keys.get(key ?? '')
    if (key !== undefined && taken !== undefined)
      resolution.report('name_clash', `The button "${taken}" has the key "${key}"`, button.place(['key']))
    if (key !== undefined) keys.set(key, name)
    const inputs = Object.keys(choose ?? {}).map((one) => ({ name: one, span: button.place(['choose', one], 'key') }))
    const called = calls === undefined ? undefined : { name: calls, span: button.place(['calls']), inputs }
    return [name, { name, label: label ?? fieldLabel(name), said: copy(button.value), calls: called }]
  })
  return new Map(buttons)
}

function judgeButton(resolution: Resolution, draft: Draft, { place, value }: Document<ButtonDefinition>): void {
  const { calls, choose = {}, create, set, when } = value
  judgeWhen(resolution, draft, when, under(place, 'when'))
  for (const [input, name] of Object.entries(choose)) {
    const span = place(['choose', input])
    if (draft.relations.has(name)) judgeMany(resolution, draft, name, span)
    else if (!resolution.drafts.has(name) && !resolution.unusable.has(name))
      resolution.report(
        'unknown_resource',
        `Unknown resource or relation "${name}"`,
        span,
        suggestResource(resolution, name),
      )
  }
  if (value.choose !== undefined && calls === undefined)
    resolution.report('wrong_screen', 'Only the input of a route is chosen', place(['choose'], 'key'), {
      hint: 'write "calls", or take "choose" away: relations are chosen from their records anyway',
    })
  linkAssignments(resolution, draft, set, under(place, 'set'))
  for (const [path, fields] of Object.entries(create ?? {})) {
    const child = childAt(resolution, draft, path, place(['create', path], 'key'))
    for (const [index, name] of child === undefined ? [] : fields.entries())
      if (!child!.fields.has(name) && !child!.relations.has(name))
        reportUnknown(resolution, child!, name, place(['create', path, index]))
  }
  if (value.many === true && (set === undefined || create !== undefined))
    resolution.report('wrong_screen', 'Chosen records of a list are set, and nothing else', place(['many'], 'key'), {
      hint: 'take "many" away, or leave only "set"',
    })
  const does = [set, create, calls].filter((one) => one !== undefined).length
  if (does === 0 || (calls !== undefined && does > 1))
    resolution.report(
      'wrong_screen',
      does === 0 ? 'This button does nothing' : 'A button that calls a route does nothing else',
      place([], 'key'),
      { expected: ['set', 'create', 'calls'], hint: 'write set or create, or calls alone' },
    )
}

/** The pages of plugins have addresses that no resource has. */
function judgePages({ definition: { app }, drafts, extensions, report }: Resolution): void {
  for (const { pages, plugin } of extensions.additions?.values() ?? [])
    for (const { path } of pages)
      if (drafts.has(path))
        report(
          'name_clash',
          `A page of the plugin "${plugin}" has the address of the resource "${path}"`,
          app.place(['plugins', plugin], 'key'),
        )
}

/** What app.yaml says of the console: the screens that it names exist, and its colour can be seen. */
function judgeConsole(resolution: Resolution, { place, value }: Document<ConsoleDefinition>): void {
  const pages = [...(resolution.extensions.additions?.values() ?? [])].flatMap((one) => one.pages)
  const judge = (screen: string, span: ReturnType<Place>): void => {
    const [name = '', view] = screen.split('/')
    const draft = resolution.drafts.get(name)
    if (draft === undefined) {
      const isKnown = resolution.unusable.has(name) || pages.some(({ path }) => path === screen)
      if (!isKnown)
        resolution.report('unknown_resource', `Unknown resource "${name}"`, span, suggestResource(resolution, name))
    } else if (view !== undefined && !draft.screens.views.has(view) && !isViewWritten(resolution, name, view)) {
      const known = [...draft.screens.views.keys()].map((one) => `${name}/${one}`)
      resolution.report('wrong_screen', `"${name}" has no view "${view}"`, span, suggest(screen, known))
    }
  }
  for (const [role, screen] of Object.entries(value.home ?? {})) judge(screen, place(['home', role]))
  for (const [group, names] of Object.entries(value.menu ?? {}))
    for (const [index, screen] of names.entries()) judge(screen, place(['menu', group, index]))
  if (value.accent === undefined) return
  const light = lightOf(value.accent)
  const [white, black] = [1.05 / (light + 0.05), (light + 0.05) / 0.05]
  if (white >= LEAST && black >= LEAST) return
  const [other, ratio] = white < black ? ['white', white] : ['black', black]
  const message = `This colour can hardly be told from ${other}: its contrast is ${ratio.toFixed(1)} to 1, and ${LEAST} is the least`
  resolution.report('wrong_value', message, place(['accent']), {
    hint: other === 'white' ? 'take a darker one' : 'take a lighter one',
  })
}

function isViewWritten({ written }: Resolution, name: string, view: string): boolean {
  return written.get(name)?.document.value.views?.[view] !== undefined
}

/** The least contrast of parts of a page that carry meaning, by WCAG 2.2, 1.4.11. */
const LEAST = 3

/** The relative luminance of WCAG 2.2. */
function lightOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
