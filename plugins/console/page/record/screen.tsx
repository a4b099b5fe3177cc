/** A record: its fields and relations, the lists below it, and what its reader may do to it. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { type Answer, ask, canIn, newKey, rowsIn } from '../client/api.ts'
import { useAnswer, useRecord } from '../client/asking.ts'
import {
  type Catalog,
  type Field,
  idOf,
  type Json,
  type Named,
  type RecordData,
  type Relation,
  type Resource,
  titleOf,
} from '../client/catalog.ts'
import { useTold } from '../client/live.ts'
import { notify } from '../client/notices.ts'
import { GONE, isOwn } from '../client/own.ts'
import { go, hrefOf } from '../client/place.ts'
import { neighbours } from '../client/trail.ts'
import { countText, hasScreen, Shown, Value } from '../format.tsx'
import { followedRecord } from '../list/query.ts'
import { Question } from '../shell/dialog.tsx'
import { useKey } from '../shell/keys.tsx'
import { Link } from '../shell/link.tsx'
import { Failed, Loading } from '../shell/parts.tsx'
import { useTitle } from '../shell/screen-title.ts'
import { words } from '../words/words.ts'
import { ButtonBar } from './buttons.tsx'
import { controlsOf } from './controls.ts'
import { Laid } from './layout.tsx'
import { MoveButtons } from './moves.tsx'

interface RecordProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly id: string
}

export function RecordScreen(props: RecordProps): ReactNode {
  const { catalog, id, named } = props
  const { resource } = named
  const path = `${resource.path}/${encodeURIComponent(id)}`
  const { again, answer, failure, record, waits } = useRecord(path)
  useTitle(record === undefined ? resource.label.one : titleOf(resource, record), catalog.name)
  const meanwhile = useMeanwhile({ ...props, again, answer, path, record })
  return (
    <>
      <div className="row">
        <p className="crumbs">
          {resource.list?.own ? <Link href={hrefOf([named.name])}>{resource.label.many}</Link> : resource.label.many}
        </p>
        <Neighbours id={id} name={named.name} />
      </div>
      <p aria-live="polite" className={meanwhile === undefined ? 'hidden' : 'meanwhile'}>
        {meanwhile}
      </p>
      {failure === undefined ? null : <Failed onAgain={again} text={failure} />}
      {answer === undefined && failure === undefined ? <Loading waits={waits} /> : null}
      {answer === undefined || record === undefined ? null : (
        <Whole {...{ again, answer, catalog, named, path, record }} />
      )}
    </>
  )
}

interface WholeProps extends Omit<RecordProps, 'id'> {
  readonly again: () => void
  readonly answer: Answer
  readonly path: string
  readonly record: RecordData
}

/** The record with what its reader may do to it. */
function Whole({ again, answer, catalog, named, path, record }: WholeProps): ReactNode {
  const { resource } = named
  const title = titleOf(resource, record)
  const controls = controlsOf(resource, canIn(answer))
  const mayEdit = controls.edit.size > 0
  const editHref = hrefOf([named.name, idOf(record)], { do: 'edit' })
  const below = (end: string): ReactNode => (
    <BelowList key={end} mayCreate={end in controls.create} {...{ catalog, end, named, record }} />
  )
  useKey('e', mayEdit ? () => go(editHref) : undefined)
  return (
    <>
      <div className="row head">
        <h1>{title}</h1>
        {mayEdit ? (
          <Link className="button primary" href={editHref}>
            {words().edit}
          </Link>
        ) : null}
        {controls.remove ? <Remove {...{ answer, named, path, record, title }} /> : null}
      </div>
      <MoveButtons {...{ again, answer, catalog, controls, path, record, resource }} />
      <ButtonBar {...{ again, answer, catalog, named, path, record }} />
      {resource.layout?.record === undefined ? (
        <>
          <Parts catalog={catalog} named={named} record={record} />
          {Object.keys(resource.below).map(below)}
        </>
      ) : (
        <Laid {...{ again, below, catalog, named, path, record }} writes={(end) => end in controls.create} />
      )}
    </>
  )
}

interface MeanwhileProps extends RecordProps {
  readonly path: string
  readonly answer: Answer | undefined
  readonly record: RecordData | undefined
  readonly again: () => void
}

/** What others do to the record while it is looked at: it is read again, and its reader is told. */
function useMeanwhile({ again, answer, catalog, named, path, record }: MeanwhileProps): string | undefined {
  const [told, setTold] = useState<{ readonly path: string; readonly text: string } | undefined>(undefined)
  const seen = useRef<{ readonly path: string; readonly etag: string } | undefined>(undefined)
  useTold(catalog.stream, record && followedRecord(named, record), ({ type }) => {
    if (type !== 'deleted') again()
    else void isOwn(path, GONE).then((own) => own || setTold({ path, text: words().goneMeanwhile }))
  })
  useEffect(() => {
    const etag = answer?.etag
    if (etag === undefined) return
    const isOther = seen.current?.path === path && seen.current.etag !== etag
    seen.current = { path, etag }
    void isOwn(path, etag).then((own) => own || !isOther || setTold({ path, text: words().changedMeanwhile }))
  }, [path, answer])
  return told?.path === path ? told.text : undefined
}

/** The way to the next and the previous record of the list that its reader came from. */
function Neighbours({ id, name }: { readonly id: string; readonly name: string }): ReactNode {
  const { after, at, before, of } = neighbours(name, id)
  const to = (next: string | undefined): (() => void) | undefined =>
    next === undefined ? undefined : () => go(hrefOf([name, next]))
  useKey('j', to(after))
  useKey('k', to(before))
  if (at === undefined) return null
  return (
    <nav aria-label={words().keyNext} className="row neighbours">
      {before === undefined ? null : <Link href={hrefOf([name, before])}>{words().recordBefore}</Link>}
      <span className="soft">{words().placeOf(countText(at), countText(of))}</span>
      {after === undefined ? null : <Link href={hrefOf([name, after])}>{words().recordAfter}</Link>}
    </nav>
  )
}

/** One line of a record: a field, or what a relation leads to. */
interface Part {
  readonly name: string
  readonly label: string
  readonly value: Json
  readonly field?: Field
  readonly relation?: Relation
}

/** Fields and relations that this answer has, in the order of the catalog. */
function partsOf(resource: Resource, record: RecordData): readonly Part[] {
  const listedBelow = new Set(Object.values(resource.below).map(({ to }) => to))
  const related = new Set<string>()
  const fields = Object.entries(resource.fields).flatMap(([name, field]): Part[] => {
    const relation = field.relation === undefined ? undefined : resource.relations[field.relation]
    const value = record[field.relation ?? '']
    if (field.relation !== undefined && relation?.embed !== undefined && value !== undefined) {
      related.add(field.relation)
      return [{ name: field.relation, label: relation.label, value, relation }]
    }
    const own = record[name]
    return own === undefined ? [] : [{ name, label: field.label, value: own, field }]
  })
  const relations = Object.entries(resource.relations).flatMap(([name, relation]): Part[] => {
    const value = record[name]
    if (related.has(name) || relation.embed === undefined || value === undefined) return []
    const isBelow = relation.kind === 'has_many' && !relation.first && listedBelow.has(relation.to ?? '')
    return isBelow ? [] : [{ name, label: relation.label, value, relation }]
  })
  return [...fields, ...relations]
}

const LONG = new Set(['text', 'json'])

function Parts({ catalog, named, record }: Omit<RecordProps, 'id'> & { readonly record: RecordData }): ReactNode {
  return (
    <dl className="card parts">
      {partsOf(named.resource, record).map(({ field, label, name, relation, value }) => (
        <div className={LONG.has(field?.type ?? '') ? 'wide' : undefined} key={name}>
          <dt>{label}</dt>
          <dd>
            <Shown {...{ catalog, field, relation, value }} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

interface RemoveProps {
  readonly answer: Answer
  readonly named: Named
  readonly path: string
  readonly record: RecordData
  readonly title: string
}

/** Deletes the record that its reader sees, and no newer version; takes it back where the application keeps it. */
function Remove({ answer, named, path, record, title }: RemoveProps): ReactNode {
  const [isAsking, setAsking] = useState(false)
  const { resource } = named
  const canRestore = resource.actions.includes('restore')
  const restore = (): void => {
    ask(`${path}/restore`, { method: 'POST', body: {}, key: newKey() }).then(
      () => {
        notify(words().restored(title))
        go(hrefOf([named.name, idOf(record)]))
      },
      (error: Error) => notify(error.message),
    )
  }
  const remove = async (): Promise<void> => {
    await ask(path, { method: 'DELETE', ifMatch: answer.etag })
    setAsking(false)
    notify(words().removed(title), canRestore ? { label: words().undo, run: restore } : undefined)
    go(hrefOf(resource.list?.own ? [named.name] : []), { replace: true })
  }
  return (
    <>
      <Button className="button" onPress={() => setAsking(true)}>
        {words().remove}
      </Button>
      {isAsking ? (
        <Question
          no={words().cancel}
          onNo={() => setAsking(false)}
          onYes={remove}
          text={canRestore ? words().removeHides : words().removeForGood}
          title={words().removeSure(title)}
          yes={words().remove}
        />
      ) : null}
    </>
  )
}

const FIRST = 5

interface BelowProps extends Omit<RecordProps, 'id'> {
  readonly end: string
  readonly mayCreate: boolean
  readonly record: RecordData
}

/** The first records of a list below this one, with the way to all of them and to a new one. */
function BelowList({ catalog, end, mayCreate, named, record }: BelowProps): ReactNode {
  const below = named.resource.below[end]
  const resource = below === undefined ? undefined : catalog.resources[below.to]
  const id = idOf(record)
  const mayList = below?.actions.includes('list') === true
  const path = `${named.resource.path}/${encodeURIComponent(id)}/${end}`
  const { again, answer, failure } = useAnswer(mayList ? `${path}?per_page=${FIRST}` : undefined)
  if (below === undefined || resource === undefined) return null
  const total = answer?.meta.pagination?.total
  const canOpen = hasScreen(catalog, below.to)
  return (
    <section className="card">
      <div className="row head">
        <h2>
          {resource.label.many} {total === undefined ? null : <span className="soft">({countText(total)})</span>}
        </h2>
        {total !== undefined && total > FIRST ? (
          <Link href={hrefOf([named.name, id, end])}>{words().showAll(resource.label.many)}</Link>
        ) : null}
        {mayCreate ? (
          <Link className="button" href={hrefOf([named.name, id, end], { do: 'create' })}>
            {words().add(resource.label.one)}
          </Link>
        ) : null}
      </div>
      {failure === undefined ? null : <Failed onAgain={again} text={failure} />}
      {total === 0 ? <p className="soft">{words().noRecords(resource.label.many)}</p> : null}
      <ul className="below">
        {(answer === undefined ? [] : rowsIn(answer)).map((row) => (
          <BelowRow
            href={canOpen ? hrefOf([below.to, idOf(row)]) : undefined}
            key={idOf(row)}
            resource={resource}
            row={row}
          />
        ))}
      </ul>
    </section>
  )
}

interface BelowRowProps {
  readonly href: string | undefined
  readonly resource: Resource
  readonly row: RecordData
}

function BelowRow({ href, resource, row }: BelowRowProps): ReactNode {
  const title = titleOf(resource, row)
  return (
    <li>
      {href === undefined ? <span>{title}</span> : <Link href={href}>{title}</Link>}
      {typeof row.created_at === 'string' ? (
        <span className="soft">
          <Value field={{ type: 'timestamp' }} isShort value={row.created_at} />
        </span>
      ) : null}
    </li>
  )
}
