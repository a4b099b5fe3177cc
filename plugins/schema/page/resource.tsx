/** One resource: its fields, relations, policies, rules, moves, what follows, automations, and who is told. */
import { Card, Link, momentText, Row, useRoute } from 'plinth/console'
import type { ReactNode } from 'react'
import { Place, type Section, TableCard, useText, whoText } from './parts.tsx'
import type { Operations, ToldField, ToldMoves, ToldResource, ToldSchema } from './told.ts'
import type { Words } from './words.ts'

interface ResourceProps {
  readonly name: string
  readonly schema: ToldSchema
  readonly canEdit: boolean
}

export function ResourcePage({ canEdit, name, schema }: ResourceProps): ReactNode {
  const text = useText()
  const resource = Object.hasOwn(schema.resources, name) ? schema.resources[name] : undefined
  const { data } = useRoute('schema.operations.json')
  if (resource === undefined) return <p className="empty">{text.noSuchResource(name)}</p>
  const { description, label, moves, path, place, table } = resource
  return (
    <>
      <Card title={label.many}>
        {description === undefined ? null : <p>{description}</p>}
        <Row>
          <code>{path}</code>
          <code>{table}</code>
          <Place place={place} />
          {canEdit ? (
            <Link isButton to={['schema', 'edit']} query={{ resource: name }}>
              {text.tabs.edit}
            </Link>
          ) : null}
        </Row>
      </Card>
      {sectionsOf(resource, schema, text, data as object as Operations | undefined, name).map((section) => (
        <TableCard key={section.title} {...section} />
      ))}
      {moves.map((one) => (
        <MovesCard key={one.name} moves={one} />
      ))}
    </>
  )
}

function sectionsOf(
  resource: ToldResource,
  { resources }: ToldSchema,
  text: Words,
  operations: Operations | undefined,
  name: string,
): readonly Section[] {
  return [
    ...partSections(resource, { resources }, text),
    ...policySections(resource, text),
    ...ruleSections(resource, text),
    automationsOf(resource, text, operations, name),
    {
      title: text.listeners,
      head: [text.name, text.on],
      rows: resource.listeners.map(({ name: listener, on }) => ({ key: listener, cells: [listener, on.join(', ')] })),
    },
  ]
}

/** Fields and relations. */
function partSections(
  resource: ToldResource,
  { resources }: Pick<ToldSchema, 'resources'>,
  text: Words,
): readonly Section[] {
  return [
    {
      title: text.fields,
      head: [text.name, text.label, text.type, text.marks, text.reads, text.writes, text.place],
      rows: resource.fields.map((field) => ({
        key: field.name,
        cells: [
          field.name,
          field.label,
          field.type,
          marksOf(field, text),
          whoText(field.read, text, text.whoReads),
          field.readOnly ? text.readOnly : whoText(field.write, text, text.whoWrites),
          <Place key="place" place={field.place} />,
        ],
      })),
    },
    {
      title: text.relations,
      head: [text.name, text.kind, text.leadsTo, text.reads, text.place],
      rows: resource.relations.map(({ kind, name: relation, place, read, to }) => ({
        key: relation,
        cells: [
          relation,
          kind,
          <Link key="to" to={['schema', 'resource', to]}>
            {resources[to]?.label.many ?? to}
          </Link>,
          whoText(read, text, text.whoReads),
          <Place key="place" place={place} />,
        ],
      })),
    },
  ]
}

function policySections(resource: ToldResource, text: Words): readonly Section[] {
  const policies = Object.entries(resource.policies).flatMap(([action, clauses]) =>
    clauses.map((clause, at) => ({ action, at, ...clause })),
  )
  return [
    {
      title: text.policies,
      head: [text.action, text.who, text.which, text.asWritten, text.place],
      rows: policies.map(({ access, action, at, isForSome, place, text: written }) => ({
        key: `${action} ${at}`,
        cells: [
          text.actions[action] ?? action,
          access.length === 0 ? text.everyone : access.map((one) => whoText([one], text, '')).join(' + '),
          isForSome ? text.someRecords : text.everyRecord,
          <code key="text">{written}</code>,
          <Place key="place" place={place} />,
        ],
      })),
    },
  ]
}

/** Rules and what follows from writes. */
function ruleSections(resource: ToldResource, text: Words): readonly Section[] {
  return [
    {
      title: text.rules,
      head: [text.name, text.says, text.asWritten, text.place],
      rows: resource.rules.map(({ name: rule, place, says, text: written }) => ({
        key: rule,
        cells: [rule, says, <code key="text">{written}</code>, <Place key="place" place={place} />],
      })),
    },
    {
      title: text.follows,
      head: [text.sets, text.on, text.asWritten, text.place],
      rows: resource.follows.map(({ of, on, place, sets, text: written }) => ({
        key: place,
        cells: [
          sets.map((one) => (of === undefined ? one : `${of}.${one}`)).join(', '),
          on.join(', '),
          <code key="text">{written}</code>,
          <Place key="place" place={place} />,
        ],
      })),
    },
  ]
}

function automationsOf(
  { automations }: ToldResource,
  text: Words,
  operations: Operations | undefined,
  resource: string,
): Section {
  return {
    title: text.automations,
    head: [text.name, text.on, text.does, text.lastRun, text.outcomes, text.place],
    rows: automations.map(({ description, does, name, place, trigger }) => {
      const state = operations?.automations.states.find((one) => one.name === `${resource}.${name}`)
      const runs = Object.entries(state?.outcomes ?? {}).map(([outcome, count]) => `${outcome} ${count}`)
      const label = description ?? name
      return {
        key: name,
        cells: [
          label,
          trigger.on?.join(', ') ?? trigger.at ?? trigger.kind,
          does.join(', '),
          state?.lastAt == null ? '–' : momentText(state.lastAt),
          runs.length === 0 ? '–' : runs.join(', '),
          <Place key="place" place={place} />,
        ],
      }
    }),
  }
}

function marksOf(field: ToldField, text: Words): string {
  const marks = [
    ...(field.required ? [text.required] : []),
    ...(field.unique ? [text.unique] : []),
    ...(field.show === 'never' ? [text.hidden] : []),
    ...(field.from === 'count' ? [text.counted] : field.from === 'computed' ? [text.computed] : []),
  ]
  return marks.length === 0 ? '–' : marks.join(', ')
}

/** From each word to each: who may. */
function MovesCard({ moves: { allow, name, words } }: { readonly moves: ToldMoves }): ReactNode {
  const text = useText()
  const title = text.moves(name)
  if (words === null || words.length > 12) {
    const side = (some: readonly string[] | null): string => some?.join(', ') ?? text.anyWord
    const rows = allow.map(({ access, from, place, to }) => ({
      key: place,
      cells: [side(from), side(to), whoText(access.length === 0 ? undefined : access, text, text.whoWrites)],
    }))
    return <TableCard head={[text.from, text.to, text.who]} rows={rows} title={title} />
  }
  const cell = (from: string, to: string): string => {
    const open = allow.filter((one) => (one.from ?? words).includes(from) && (one.to ?? words).includes(to))
    if (from === to || open.length === 0) return '–'
    if (open.some(({ access }) => access.length === 0)) return text.yes
    return open.map(({ access }) => whoText(access, text, text.yes)).join('; ')
  }
  const rows = words.map((from) => ({ key: from, cells: [from, ...words.map((to) => cell(from, to))] }))
  return <TableCard head={[`${text.from} \\ ${text.to}`, ...words]} rows={rows} title={title} />
}
