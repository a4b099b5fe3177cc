/** Conditions that are more than one filter: all, any or none of several, in groups. */
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { Button } from 'react-aria-components'
import type { Catalog, Filter, Json, Resource } from '../client/catalog.ts'
import { wordText } from '../format.tsx'
import { Box } from '../shell/dialog.tsx'
import { FormEnd } from '../shell/parts.tsx'
import { words } from '../words/words.ts'
import { type Comparison, conditionOf, DEEPEST, type Group, groupOf, isGroup } from './condition.ts'
import { FilterValue, labelOf, targetOf } from './filter-value.tsx'
import { type Change, operatorsOf } from './query.ts'

interface WhereProps {
  readonly catalog: Catalog
  readonly resource: Resource
  /** The condition of the address; an empty text for a new one. */
  readonly text: string
  readonly onChange: Change
  readonly onClose: () => void
}

function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

/** A condition in words; as it is written where it says what cannot be built here. */
export function conditionText(resource: Resource, text: string): string {
  const filters = resource.list?.filters ?? {}
  const group = groupOf(readJson(text) ?? null, filters)
  return group === undefined ? text : groupText(resource, group)
}

function groupText(resource: Resource, { join, parts }: Group): string {
  const texts = parts.map((part) => (isGroup(part) ? `(${groupText(resource, part)})` : comparisonText(resource, part)))
  const text = texts.join(` ${words().joins[join === 'all' ? 'and' : 'or']} `)
  return join === 'none' ? `${words().joins.not} (${text})` : text
}

function comparisonText(resource: Resource, { name, operator, value }: Comparison): string {
  const filter = resource.list?.filters[name]
  const verb = words().operators[operator as 'eq'] ?? operator
  const shown =
    filter?.type === 'enum'
      ? value
          .split(',')
          .map((word) => wordText(word, filter.values))
          .join(', ')
      : value
  return `${filter === undefined ? name : labelOf(resource, name, filter.label)} ${verb} ${operator === 'null' ? '' : shown}`.trim()
}

export function WhereBox(props: WhereProps): ReactNode {
  const { catalog, onChange, onClose, resource, text } = props
  const filters = resource.list?.filters ?? {}
  const [group, setGroup] = useState<Group | undefined>(() =>
    text === '' ? { join: 'any', parts: [firstOf(filters)] } : groupOf(readJson(text) ?? null, filters),
  )
  const [written, setWritten] = useState(text)
  const apply = (event: FormEvent): void => {
    event.preventDefault()
    onChange({ where: group === undefined ? written : JSON.stringify(conditionOf(group, filters)) })
    onClose()
  }
  return (
    <Box className="wide" onClose={onClose} title={words().conditions}>
      <form className="form" onSubmit={apply}>
        {group === undefined ? (
          <label className="field">
            <span>JSON</span>
            <textarea
              className="code"
              onChange={(event) => setWritten(event.target.value)}
              rows={8}
              spellCheck={false}
              value={written}
            />
          </label>
        ) : (
          <GroupEditor {...{ catalog, group, resource }} depth={1} onChange={setGroup} />
        )}
        <FormEnd does={words().apply} onCancel={onClose} />
      </form>
    </Box>
  )
}

function firstOf(filters: Readonly<Record<string, Filter>>): Comparison {
  const [[name, filter] = ['', undefined]] = Object.entries(filters)
  return { name, operator: filter === undefined ? 'eq' : (operatorsOf(filter)[0] ?? 'eq'), value: '' }
}

interface GroupProps extends Pick<WhereProps, 'catalog' | 'resource'> {
  readonly group: Group
  readonly depth: number
  readonly onChange: (group: Group) => void
}

function GroupEditor({ catalog, depth, group, onChange, resource }: GroupProps): ReactNode {
  const { join, parts } = group
  const put = (at: number, ...next: readonly (Comparison | Group)[]): void =>
    onChange({ join, parts: [...parts.slice(0, at), ...next, ...parts.slice(at + 1)] })
  const first = firstOf(resource.list?.filters ?? {})
  return (
    <fieldset className="group-editor">
      <legend>
        <select
          aria-label={words().joined}
          onChange={(event) => onChange({ join: event.target.value as Group['join'], parts })}
          value={join}
        >
          <option value="all">{words().joins.all}</option>
          <option value="any">{words().joins.any}</option>
          <option value="none">{words().joins.none}</option>
        </select>
      </legend>
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part has no name but its place
        <div className="group-part" key={at}>
          {isGroup(part) ? (
            <GroupEditor {...{ catalog, resource }} depth={depth + 1} group={part} onChange={(next) => put(at, next)} />
          ) : (
            <ComparisonEditor {...{ catalog, resource }} comparison={part} onChange={(next) => put(at, next)} />
          )}
          <Button aria-label={words().removePart(at + 1)} className="button plain" onPress={() => put(at)}>
            ×
          </Button>
        </div>
      ))}
      <div className="row">
        <Button className="button" onPress={() => onChange({ join, parts: [...parts, first] })}>
          + {words().comparison}
        </Button>
        {depth >= DEEPEST ? null : (
          <Button
            className="button"
            onPress={() => onChange({ join, parts: [...parts, { join: 'all', parts: [first] }] })}
          >
            + {words().groupOfConditions}
          </Button>
        )}
      </div>
    </fieldset>
  )
}

interface ComparisonProps extends Pick<WhereProps, 'catalog' | 'resource'> {
  readonly comparison: Comparison
  readonly onChange: (comparison: Comparison) => void
}

function ComparisonEditor({ catalog, comparison, onChange, resource }: ComparisonProps): ReactNode {
  const { name, operator, value } = comparison
  const filters = resource.list?.filters ?? {}
  const filter = filters[name]
  const id = useId()
  if (filter === undefined) return null
  const choose = (next: string): void => {
    const [first = 'eq'] = filters[next] === undefined ? [] : operatorsOf(filters[next])
    onChange({ name: next, operator: first, value: '' })
  }
  return (
    <div className="beside comparison">
      <label className="field" htmlFor={`${id}-field`}>
        <span>{words().field}</span>
        <select id={`${id}-field`} onChange={(event) => choose(event.target.value)} value={name}>
          {Object.entries(filters).map(([one, { label }]) => (
            <option key={one} value={one}>
              {labelOf(resource, one, label)}
            </option>
          ))}
        </select>
      </label>
      <label className="field" htmlFor={`${id}-operator`}>
        <span>{words().comparison}</span>
        <select
          id={`${id}-operator`}
          onChange={(event) => onChange({ name, operator: event.target.value, value: '' })}
          value={operator}
        >
          {[...new Set([...operatorsOf(filter), operator])].map((one) => (
            <option key={one} value={one}>
              {words().operators[one as 'eq'] ?? one}
            </option>
          ))}
        </select>
      </label>
      <FilterValue
        {...{ catalog, filter, operator, value }}
        onValue={(next) => onChange({ name, operator, value: next })}
        target={targetOf(catalog, resource, name)}
      />
    </div>
  )
}
