/** The resources of a database, made from its facts, with remarks on what the YAML cannot say. Pure. */
import type { JsonObject } from '../json.ts'
import { quotedName, quotedText } from './column.ts'
import type { DatabaseFacts, TableFacts } from './facts.ts'
import { free, isNameable, plainName, relationName, resourceName } from './free-name.ts'
import type { Remark } from './remark.ts'
import { type ResourceForm, resourceOf } from './resource.ts'
import { resourceText } from './resource-text.ts'
import { type Inside, type Joining, rolesOf, whyInside } from './table-roles.ts'

/** The names and tables that plugins of the application use. */
export interface Taken {
  /** Names of resources and first words of paths. */
  readonly names: ReadonlySet<string>
  /** Resources of plugins by their tables. */
  readonly tables: ReadonlyMap<string, string>
}

export interface Found {
  /** Texts of YAML by their file below `resources/`. */
  readonly files: ReadonlyMap<string, string>
  /** The resource of each table that is one. */
  readonly served: ReadonlyMap<string, string>
  readonly remarks: readonly Remark[]
  /** Resources of plugins that get another table, because the database has a table of that name. */
  readonly moved: ReadonlyMap<string, string>
}

export function applicationOf(facts: DatabaseFacts, taken: Taken): Found {
  const { keyed, joining, inside, remarks } = rolesOf(facts)
  const names = new Map<string, string>()
  const used = new Set(taken.names)
  const said: Remark[] = [...remarks]
  for (const table of keyed.keys()) {
    const name = resourceName(table, used)
    names.set(table, name)
    if (name.startsWith('existing_') && !/^existing_/i.test(table))
      said.push({ table, what: 'is called like something of Plinth’s', done: `served as ${name}` })
  }
  const forms = new Map(
    [...keyed].map(([table, one]) => [table, resourceOf(one, names.get(table) ?? table, keyed, names)] as const),
  )
  said.push(...openCircles(forms))
  for (const pair of joining) said.push(joined(pair, forms))
  for (const one of inside) said.push(told(one, forms))
  pointBack(forms)
  const moved = movedTables(facts, taken)
  const files = new Map<string, string>()
  for (const form of forms.values()) {
    said.push(...form.remarks)
    files.set(`${form.name}.yaml`, resourceText(form))
  }
  return { files, served: names, remarks: said, moved }
}

/** The fields of a record that are shown inside another record. */
function shownOf({ title }: ResourceForm): JsonObject {
  return { embed: title === undefined ? ['id'] : ['id', title] }
}

/** Both sides get a relation, written as a list of ids. */
function joined({ table, sides }: Joining, forms: ReadonlyMap<string, ResourceForm>): Remark {
  const made = [sides, [...sides].reverse()].map(([near, far]) => {
    const [own, other] = [forms.get(near!.target)!, forms.get(far!.target)!]
    const alone = sides[0].target !== sides[1].target
    const name = alone
      ? free(other.name, own.taken, `${other.name}_by_${table.name}`)
      : relationName(far!.column, other.name, own.taken)
    own.relations.set(name, {
      many_to_many: other.name,
      through: { table: table.name, from: near!.column, to: far!.column },
      show: 'single',
      ...shownOf(other),
    })
    return `${own.name}.${name}`
  })
  const hidden = table.columns.flatMap(({ name }) => (table.primaryKey.includes(name) ? [] : [name]))
  const rest = hidden.length === 0 ? '' : `; not shown: ${hidden.join(', ')}`
  return { table: table.name, what: whyInside(table), done: `served as the relations ${made.join(' and ')}${rest}` }
}

/** The rows of a table without a key, shown inside the records that they refer to. */
function told({ table, parent }: Inside, forms: ReadonlyMap<string, ResourceForm>): Remark {
  const form = forms.get(parent.target)!
  const wanted = isNameable(table.name) ? table.name : plainName(table.name)
  const name = free(wanted, form.taken, `${wanted}_rows`)
  form.fields.set(name, { type: 'json', show: 'single', computed: rowsSql(table, parent.column, form) })
  const column = table.columns.find((one) => one.name === parent.column)
  const lost = column?.nullable === true ? `; rows without ${parent.column} are not shown` : ''
  return {
    table: table.name,
    what: whyInside(table),
    done: `read only, as the field ${name} of a single record of ${form.name}, at most ${SHOWN} rows${lost}`,
  }
}

/** The most rows of another table inside a record. */
const SHOWN = 100

function rowsSql({ name, columns, primaryKey }: TableFacts, column: string, { key }: ResourceForm): string {
  const bytes = columns.filter(({ type }) => type === 'bytea' || type === 'tsvector')
  const row = ['to_jsonb(d.*)', ...bytes.map((one) => quotedText(one.name))].join(' - ')
  const keys = primaryKey.map((one) => `d.${quotedName(one)}`).join(', ')
  const same = `d.${quotedName(column)} = t.${quotedName(key.column.name)}`
  // The first rows alone are read where an index has their order.
  const some = `select d.* from ${quotedName(name)} d where ${same} order by ${keys || 'd.ctid'} limit ${SHOWN}`
  return `(select coalesce(jsonb_agg(${row} order by ${keys || row}), jsonb_build_array()) from (${some}) d)`
}

/** Every reference is also a list at its other end, answered where it is asked for. */
function pointBack(forms: ReadonlyMap<string, ResourceForm>): void {
  const byName = new Map([...forms.values()].map((form) => [form.name, form]))
  for (const form of forms.values()) {
    const pointing = [...form.relations].filter(([, { belongs_to }]) => belongs_to !== undefined)
    for (const [relation, { belongs_to }] of pointing) {
      const target = byName.get(String(belongs_to))
      if (target === undefined) continue
      const several = target === form || pointing.filter(([, other]) => other.belongs_to === belongs_to).length > 1
      const after = `${form.name}_by_${relation}`
      const name = free(several ? after : form.name, target.taken, several ? undefined : after)
      const by = several ? { by: relation } : {}
      target.relations.set(name, { has_many: form.name, ...by, show: 'asked', ...shownOf(form) })
    }
  }
  for (const form of forms.values()) embedTitles(form, byName)
}

/** A record is named by its title, where that is not called `name`. */
function embedTitles(form: ResourceForm, byName: ReadonlyMap<string, ResourceForm>): void {
  for (const [name, words] of form.relations) {
    const target = byName.get(String(words.belongs_to ?? ''))
    if (target === undefined || target.title === undefined || target.title === 'name') continue
    form.relations.set(name, { ...words, ...shownOf(target) })
  }
}

/** Other table names for plugins whose tables are taken. */
function movedTables({ tables }: DatabaseFacts, taken: Taken): ReadonlyMap<string, string> {
  const there = new Set(tables.map(({ name }) => name))
  const used = new Set([...there, ...taken.tables.keys()])
  return new Map(
    [...taken.tables].flatMap(([table, resource]) =>
      there.has(table) ? [[resource, free(`account_${table}`, used, `application_${table}`)] as const] : [],
    ),
  )
}

interface Step {
  readonly form: ResourceForm
  readonly relation: string
}

/** Opens each circle at one relation, which is no longer required; says which. */
function openCircles(forms: ReadonlyMap<string, ResourceForm>): readonly Remark[] {
  const byName = new Map([...forms.values()].map((form) => [form.name, form]))
  const remarks: Remark[] = []
  for (const form of forms.values()) {
    for (let circle = circleFrom(form, byName); circle !== undefined; circle = circleFrom(form, byName)) {
      const [{ form: opened, relation }] = circle
      const { required: _, ...words } = opened.relations.get(relation)!
      opened.relations.set(relation, words)
      const way = [...circle.map((step) => step.form.name), opened.name].join(' → ')
      remarks.push({
        table: opened.table.name,
        column: String(words.column ?? `${relation}_id`),
        what: `stands in a circle of references that every row needs (${way})`,
        done: 'the YAML does not require it; the database does as before',
      })
    }
  }
  return remarks
}

type Circle = readonly [Step, ...Step[]]

/** A circle of required relations. */
function circleFrom(start: ResourceForm, byName: ReadonlyMap<string, ResourceForm>): Circle | undefined {
  const seen = new Set<ResourceForm>()
  const go = (form: ResourceForm, way: readonly Step[]): Circle | undefined => {
    for (const [relation, { belongs_to, required }] of form.relations) {
      const target = required === true ? byName.get(String(belongs_to)) : undefined
      if (target === undefined) continue
      const next: readonly Step[] = [...way, { form, relation }]
      if (target === start) return next as Circle
      if (seen.has(target)) continue
      seen.add(target)
      const found = go(target, next)
      if (found !== undefined) return found
    }
    return undefined
  }
  return go(start, [])
}
