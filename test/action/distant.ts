/** Regions, branches, items and bookings whose rules lead over several relations, and over links. */
const ALL =
  'policies: { view: [{ who: anyone }], create: [{ who: anyone }], update: [{ who: anyone }], delete: [{ who: anyone }]'
const KEPT = `soft_delete: true\nrestore: true\n${ALL}, restore: [{ who: anyone }] }`
const NAME = '  name: { type: string }\n'

export const RESOURCES: Readonly<Record<string, string>> = {
  'app.yaml': 'name: Shop\nplugins: { timestamps: {}, soft_delete: {}, who: {} }\n',
  'regions.yaml': `resource: regions\n${ALL} }
fields:
${NAME}  is_open: { type: boolean, default: true, nullable: false }
relations: { items: { has_many: items, through: branch, embed: false } }
rules:
  few_items: { must: { items: { count: { lte: 3 } } }, holds: always, says: A region has at most three items }
`,
  'branches.yaml': `resource: branches\n${KEPT}
fields:
${NAME}relations: { region: { belongs_to: regions, required: true } }
`,
  'items.yaml': `resource: items\n${KEPT}
fields:
${NAME}  is_public: { type: boolean, default: false, nullable: false }
relations: { branch: { belongs_to: branches, required: true }, bookings: { has_many: bookings, embed: false } }
rules:
  nothing_secret:
    when: { is_public: true }
    must: { bookings: { every: { tags: { none: { is_secret: true } } } } }
    holds: always
    says: A public item has no secret bookings
`,
  'large_items.yaml': `resource: large_items\n${ALL} }
of: items
where: { name: large }
fields: { name: { type: string } }
relations: { branch: { belongs_to: branches, required: true } }
rules: { open: { must: { branch.region.is_open: true }, holds: always, says: A large item needs an open region } }
`,
  'bookings.yaml': `resource: bookings\n${KEPT}
fields:
${NAME}  is_final: { type: boolean, default: false, nullable: false }
relations:
  item: { belongs_to: items, required: true }
  tags: { many_to_many: tags, embed: [id, name] }
  watchers: { many_to_many: people, through: watches, embed: [id, name] }
nested: { item: { path: bookings, actions: [create] } }
rules:
  in_an_open_region: { must: { item.branch.region.is_open: true }, holds: always, says: The region is closed, at: item_id }
  nothing_banned: { must: { tags: { none: { is_banned: true } } }, holds: always, says: A tag is banned, at: tag_ids_or_name }
  final_with_tag: { when: { is_final: true }, must: { tags: { some: {} } }, holds: always, says: What is final has a tag, at: is_final }
  two_watchers: { must: { watchers: { count: { lte: 2 } } }, holds: always, says: Two may watch }
  no_drafts: { must: { tags: { none: { name: draft } } }, holds: when_written, says: Drafts are no bookings }
`.replace(', at: tag_ids_or_name', ''),
  'tags.yaml': `resource: tags\n${KEPT}
fields:
${NAME}  is_banned: { type: boolean, default: false, nullable: false }
  is_secret: { type: boolean, default: false, nullable: false }
relations: { bookings: { many_to_many: bookings, embed: false } }
`,
  'people.yaml': `resource: people\n${ALL} }\nfields:\n${NAME}`,
  'watches.yaml': `resource: watches\n${ALL} }
fields: { note: { type: string } }
relations:
  booking: { belongs_to: bookings, required: true, on_delete: cascade }
  person: { belongs_to: people, required: true, on_delete: cascade }
indexes: [{ fields: [booking_id, person_id], unique: true }]
`,
}
