/** The resources and their relations as a diagram, and the same as a table. */
import { Button, Card, go, hrefOf, Link, Row, Select, Table } from 'plinth/console'
import { type KeyboardEvent, type ReactNode, useMemo, useState } from 'react'
import { type Diagram as Laid, type Direction, diagramOf, nextBox, shownNames } from './layout.ts'
import { useText } from './parts.tsx'
import type { ToldSchema } from './told.ts'

/** More resources than this are a wall of boxes: the first one with those around it is shown instead. */
const MANY = 120

export function DiagramPage({ schema: { resources } }: { readonly schema: ToldSchema }): ReactNode {
  const text = useText()
  const names = Object.keys(resources)
  const [around, setAround] = useState(names.length > MANY ? (names[0] ?? '') : '')
  const [isTable, setTable] = useState(false)
  const shown = useMemo(() => shownNames(resources, around === '' ? undefined : around), [resources, around])
  const options = names.map((name) => ({ value: name, label: resources[name]?.label.many ?? name }))
  return (
    <>
      <Row>
        <Select
          label={text.around}
          onChange={setAround}
          options={[{ value: '', label: text.all }, ...options]}
          value={around}
        />
        <Button isPressed={!isTable} onPress={() => setTable(false)}>
          {text.asDiagram}
        </Button>
        <Button isPressed={isTable} onPress={() => setTable(true)}>
          {text.asTable}
        </Button>
      </Row>
      {isTable ? <AsTable names={shown} resources={resources} /> : <AsDiagram names={shown} resources={resources} />}
    </>
  )
}

interface ShownProps {
  readonly names: readonly string[]
  readonly resources: ToldSchema['resources']
}

function AsTable({ names, resources }: ShownProps): ReactNode {
  const text = useText()
  const rows = names.map((name) => ({
    key: name,
    cells: [
      <Link key="name" to={['schema', 'resource', name]}>
        {resources[name]?.label.many ?? name}
      </Link>,
      <ul className="schema-plain" key="relations">
        {(resources[name]?.relations ?? []).map(({ kind, label, name: relation, to }) => (
          <li key={relation}>
            {label} ({kind}) → <Link to={['schema', 'resource', to]}>{resources[to]?.label.many ?? to}</Link>
          </li>
        ))}
      </ul>,
    ],
  }))
  return (
    <Card>
      <Table caption={text.resources} head={[text.resource, text.relations]} rows={rows} />
    </Card>
  )
}

const DIRECTIONS = new Set(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'])

/** Moves the focus along relations. */
function walk(event: KeyboardEvent<SVGElement>, diagram: Laid): void {
  const from = (event.target as Element).closest('[data-box]')?.getAttribute('data-box')
  if (from == null || !DIRECTIONS.has(event.key)) return
  event.preventDefault()
  const next = nextBox(diagram, from, event.key as Direction)
  const found = next === undefined ? null : event.currentTarget.querySelector(`[data-box="${CSS.escape(next)}"]`)
  if (found instanceof SVGElement) {
    found.focus()
    found.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
}

function AsDiagram({ names, resources }: ShownProps): ReactNode {
  const text = useText()
  const diagram = useMemo(() => diagramOf(resources, names), [resources, names])
  const { boxes, height, lines, width } = diagram
  return (
    <Card>
      <p className="soft">{text.diagramHelp}</p>
      <div className="schema-diagram" dir="ltr">
        <svg
          height={height}
          onKeyDown={(event) => walk(event, diagram)}
          viewBox={`0 0 ${width} ${height}`}
          width={width}
        >
          <title>{text.tabs.diagram}</title>
          <defs>
            <marker
              id="schema-arrow"
              markerHeight="7"
              markerWidth="7"
              orient="auto"
              refX="9"
              refY="5"
              viewBox="0 0 10 10"
            >
              <path d="M0 0 10 5 0 10z" />
            </marker>
          </defs>
          {lines.map(({ from, names: own, points, to }) => (
            <path className="line" d={pathOf(points)} key={`${from} ${to}`} markerEnd="url(#schema-arrow)">
              <title>{own.join(', ')}</title>
            </path>
          ))}
          {boxes.map((box) => (
            <BoxLink box={box} key={box.name} />
          ))}
        </svg>
      </div>
    </Card>
  )
}

function BoxLink({ box: { height, label, name, width, x, y } }: { readonly box: Laid['boxes'][number] }): ReactNode {
  const href = hrefOf(['schema', 'resource', name])
  return (
    <a
      aria-label={label}
      data-box={name}
      href={href}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return
        event.preventDefault()
        go(href)
      }}
    >
      <rect height={height} rx="6" width={width} x={x - width / 2} y={y - height / 2} />
      <text dominantBaseline="central" textAnchor="middle" x={x} y={y}>
        {label}
      </text>
    </a>
  )
}

function pathOf(points: Laid['lines'][number]['points']): string {
  return points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${Math.round(x)} ${Math.round(y)}`).join('')
}
