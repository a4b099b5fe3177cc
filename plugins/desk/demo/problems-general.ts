/** Problems with parcels, and messages about no problem at all, in customers' words. */
import type { Problem } from './problem.ts'

export const DELIVERY: readonly Problem[] = [
  {
    subjects: ['Parcel to {city} not delivered', 'Delivered, but nobody has it'],
    details: [
      'Tracking says the parcel was delivered {day}, but nobody at {company} has seen it.',
      'The courier claims to have left order {n} at the reception. We have no reception.',
    ],
  },
  {
    subjects: ['Where is order {n}?', 'Shipment stuck for days'],
    details: [
      'Order {n} was shipped {day} and tracking has not moved since. When will it be here?',
      'The parcel has been in the depot for {few} days. Could you ask the carrier what is wrong?',
    ],
    type: 'Question',
    priority: 'Medium',
  },
  {
    subjects: ['Box arrived damaged', 'Contents broken in transit'],
    details: [
      'The box was crushed and the {device} inside is broken. I took photographs before unpacking.',
      'The delivery of {day} was wet; {few} items are spoilt. The driver noted it on the slip.',
    ],
  },
  {
    subjects: ['Wrong item in the parcel', 'An item is missing in order {n}'],
    details: [
      'We ordered cables and the parcel held {few} keyboards. The packing slip is right, the contents are not.',
      'The parcel of order {n} lacks an item that the delivery note lists.',
    ],
  },
  {
    subjects: ['Change the delivery address', 'Send order {n} to another place'],
    details: [
      'Please deliver order {n} to our warehouse in {city} rather than to the office.',
      'We are closed on {day}. Can the courier come a day later or leave the shipment with the neighbour?',
    ],
    type: 'Task',
    priority: 'Medium',
  },
  {
    subjects: ['Stopped at customs', 'Customs asks for papers'],
    details: [
      'Customs holds the shipment and asks for a declaration of its value. Who has to send it?',
      'The courier wants {amount} of import duty. Your shop said that delivery is free.',
    ],
  },
]

export const RETURN: readonly Problem[] = [
  {
    subjects: ['Return label for {few} items', 'How do we send something back?'],
    details: [
      'We would like to return {few} unopened items of our last order. How do we get a label?',
      'The return form asks for a number which is not on the packing slip. It is order {n}.',
    ],
  },
  {
    subjects: ['Return label is expired', 'Post office refuses the label'],
    details: [
      'The post office refused the return label as expired. Please send a new one.',
      'The return label cannot be scanned; the printed code is too small.',
    ],
  },
  {
    subjects: ['Exchange for a larger size', 'Swap order {n} for another model'],
    details: [
      'The model does not fit. May we exchange it for the next larger one instead of a return?',
      'I ordered the wrong colour and would like to swap it. Must I pay for sending it back?',
    ],
  },
  {
    subjects: ['How long may we return?', 'Return after thirty days'],
    details: [
      'We missed the thirty days because of a holiday. Is a return still possible?',
      'Until when can an opened item be sent back? Your terms name two periods for returns.',
    ],
  },
  {
    subjects: ['Collection of a pallet', 'Courier did not pick up our return'],
    details: [
      'The courier should have collected the return {day}. We waited all day with the boxes.',
      'Can you pick up {few} boxes in {city}? They are too heavy to be brought to the post office.',
    ],
    type: 'Task',
    priority: 'Medium',
  },
  {
    subjects: ['Faulty item, repair or return?', 'Warranty claim for order {n}'],
    details: [
      'The {device} failed within the warranty. Shall we send it in for repair or return it?',
      'One of the items of order {n} came faulty. We would like a replacement and a label to send it back.',
    ],
    priority: 'Medium',
  },
]

export const OFFER: readonly Problem[] = [
  {
    subjects: ['Offer for {few} more seats', 'We are growing'],
    details: [
      '{company} is growing: we need {few} more seats from next month. Is there a discount at this size?',
      'Please quote {few} additional licences for our new office in {city}.',
    ],
  },
  {
    subjects: ['Difference between the plans', 'Which plan includes {page}?'],
    details: [
      'We are comparing the plans. Which one includes {page}, and what is its price per year?',
      'Is it worth upgrading to the larger plan only for {page}? We are {few} people.',
    ],
    priority: 'Low',
  },
  {
    subjects: ['Discount for a school', 'Price for charities'],
    details: [
      'We are a non-profit organization. Is there a special price or discount for such as us?',
      'Our budget is {amount} a year. Can you make an offer that fits?',
    ],
    priority: 'Low',
  },
  {
    subjects: ['Renewal of our contract', 'Contract ends in {few} weeks'],
    details: [
      'Our contract ends soon. Please send an offer for two more years at the present price.',
      'Before we sign the renewal, purchasing asks for better terms. Whom can they call?',
    ],
    type: 'Task',
  },
  {
    subjects: ['Demonstration for our board', 'Can somebody show us the product?'],
    details: [
      'Could your sales team show the product to {few} of us on {day}? We are about to decide.',
      'We would like a trial for our branch in {city} before we buy licences.',
    ],
  },
  {
    subjects: ['Security questionnaire before we sign', 'Data processing agreement'],
    details: [
      'Our legal team wants a data processing agreement before we sign the contract. Do you have a template?',
      'Purchasing sent a questionnaire with {few} questions on hosting. Who fills it in before an order?',
    ],
    type: 'Task',
  },
]

export const FEATURE: readonly Problem[] = [
  {
    subjects: ['Dark mode for {page}', 'Please add a dark theme'],
    details: [
      'Everything has a dark mode except {page}, which is where I spend my evenings. Please add it.',
      'It would be nice if the theme followed the system of my {device}.',
    ],
  },
  {
    subjects: ['Keyboard shortcuts', 'Wish: shortcuts on {page}'],
    details: [
      'I would love keyboard shortcuts for the things I do a hundred times a day on {page}.',
      'A suggestion: let the arrow keys move through the list on {page}.',
    ],
  },
  {
    subjects: ['Export to a spreadsheet', 'Idea: scheduled reports'],
    details: [
      'It would help if {page} could be exported as a spreadsheet rather than only as text.',
      'Could reports be mailed by themselves each Monday? We would use this feature every week.',
    ],
  },
  {
    subjects: ['More columns on {page}', 'Let me hide columns'],
    details: [
      'Please let us choose the columns shown on {page}; half of them are never needed.',
      'A wish: remember the width of the columns. I set it anew {few} times a day.',
    ],
  },
  {
    subjects: ['Translation into our language', 'Right-to-left support'],
    details: [
      'Would you consider a translation? Colleagues in {city} would use the product far more.',
      'Feature request: let each user choose the language instead of one for all.',
    ],
  },
  {
    subjects: ['Templates for replies', 'Suggestion: repeat an entry'],
    details: [
      'We write the same texts again and again. Templates with placeholders would be a great addition.',
      'Please add a way to duplicate an entry on {page}. I would vote for it twice.',
    ],
  },
]
