/** What a schema has for the search in texts, as the SQL that makes it anew. */
import { dictionary, type Kind, own, parser, RANKS, routine, template } from './schema-object.ts'

const PARSERS = `select p.oid, format('create text search parser %I (%s)', p.prsname, concat_ws(', ', 'start = ' || ${routine('p.prsstart')},
    'gettoken = ' || ${routine('p.prstoken')}, 'end = ' || ${routine('p.prsend')}, 'lextypes = ' || ${routine('p.prslextype')},
    'headline = ' || ${routine('p.prsheadline')}))
  from pg_ts_parser p where ${own('pg_ts_parser', 'p', 'p.prsnamespace')} order by p.oid`

const TEMPLATES = `select t.oid, format('create text search template %I (%s)', t.tmplname, concat_ws(', ', 'init = ' || ${routine('t.tmplinit')},
    'lexize = ' || ${routine('t.tmpllexize')}))
  from pg_ts_template t where ${own('pg_ts_template', 't', 't.tmplnamespace')} order by t.oid`

const DICTIONARIES = `select d.oid, format('create text search dictionary %I (%s)', d.dictname, concat_ws(', ', 'template = ' || ${template('d.dicttemplate')},
    d.dictinitoption)) from pg_ts_dict d where ${own('pg_ts_dict', 'd', 'd.dictnamespace')} order by d.oid`

const CONFIGURATIONS = `select c.oid, format('create text search configuration %I (parser = %s)', c.cfgname, ${parser('c.cfgparser')})
  from pg_ts_config c where ${own('pg_ts_config', 'c', 'c.cfgnamespace')} order by c.oid`

export const TEXT_SEARCH_KINDS: readonly Kind[] = [
  { rank: RANKS.routine, catalog: 'pg_ts_parser', text: PARSERS },
  { rank: RANKS.routine, catalog: 'pg_ts_template', text: TEMPLATES },
  { rank: RANKS.routine, catalog: 'pg_ts_dict', text: DICTIONARIES },
  { rank: RANKS.routine, catalog: 'pg_ts_config', text: CONFIGURATIONS },
]

/** Which dictionaries a configuration asks about each kind of token. */
export const MAPPINGS = `select ${RANKS.routine - RANKS.part}, c.oid::bigint * 1000 + m.maptokentype, format('mapping of pg_ts_config:%s.%s', c.oid, m.maptokentype), 'pg_ts_config:' || c.oid,
    format('alter text search configuration %I add mapping for %I with %s', c.cfgname,
      (select alias from ts_token_type(c.cfgparser) where tokid = m.maptokentype), string_agg(${dictionary('m.mapdict')}, ', ' order by m.mapseqno)), null
  from pg_ts_config c join pg_ts_config_map m on m.mapcfg = c.oid
  where ${own('pg_ts_config', 'c', 'c.cfgnamespace')} group by c.oid, c.cfgname, c.cfgparser, m.maptokentype order by 2`
