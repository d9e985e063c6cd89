// Derivation: contacts that are closed or open by decree, and impacts.
#include <algorithm>

#include "codegen/derivation.h"
#include "mechanics/constraints/closed_recursion.h"
#include "mechanics/contacts/contact_impulses.h"
#include "mechanics/contacts/contact_rows.h"
#include "mechanics/machine/expression_inputs.h"
#include "mechanics/machine/kinematics.h"

namespace cartan::codegen {

std::vector<Derivation::PlaceOfContact> Derivation::contacts() {
  std::vector<PlaceOfContact> places;
  if (!mechanism_ || mechanism_->contacts.empty()) return places;
  solve();
  for (std::size_t k = 0; k < mechanism_->contacts.size(); ++k) {
    const ContactElement<Expression>& e = mechanism_->contacts[k];
    PlaceOfContact place;
    place.contact = e.contact;
    place.closed = mode_[mechanism_->contact_mode0 + k] != contact_open;
    place.rough = e.rough;
    place.friction = e.friction;
    place.restitution = e.restitution;
    for (int r = 0; r < e.rows; ++r) {
      place.acts[r] = place.closed && mode_[mechanism_->mode_count + e.row0 + r] != 0;
      if (place.acts[r]) place.force[r] = ws_->lambda[e.row0 + r];
    }
    places.push_back(std::move(place));
  }
  evaluate_motion(false);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const ContactElement<Expression>& e = mechanism_->contacts[k];
    places[k].gap = calc_gap(*mechanism_, *ws_, e);
    places[k].gap_rate = calc_contact_speed(*mechanism_, *ws_, e).x;
    if (!e.active) continue;
    Expression value;
    evaluate_program(*mechanism_, *ws_, e.active->program, &value);
    places[k].active = value;
  }
  return places;
}

Derivation::ImpactForm Derivation::impact(std::span<const int> places,
                                          std::span<const ImpulseOnRow> impulses) {
  const Mechanism<Expression>& mechanism = *mechanism_;
  MotionWorkspace<Expression>& ws = *ws_;
  ImpactForm form;
  form.before.assign(3 * places.size(), Expression(0));
  form.after = form.before;
  const auto for_each_row = [&](auto&& visit) {
    for (std::size_t i = 0; i < places.size(); ++i)
      for (int r = 0; r < mechanism.contacts[places[i]].rows; ++r)
        visit(3 * i + static_cast<std::size_t>(r), mechanism.contacts[places[i]].row0 + r);
  };
  std::copy(mode_.begin(), mode_.end(), ws.mode.begin());
  show_contacts(mechanism, places, ws);
  fill_kinematics<Expression>(mechanism, time_, q_.data(), v_.data(), ws);
  for_each_row([&](std::size_t i, int row) { form.before[i] = ws.row_speed[row]; });
  const std::vector<Expression> still(mechanism.nv, Expression(0));
  fill_kinematics<Expression>(mechanism, time_, q_.data(), still.data(), ws);
  clear_loads(ws);
  for (const ImpulseOnRow& push : impulses)
    push_contact_row(mechanism, ws, mechanism.contacts[push.place].row0 + push.row, push.amount);
  solve_closed(mechanism, ws);
  form.change.assign(ws.vdot.begin(), ws.vdot.begin() + mechanism.nv);
  for_each_row([&](std::size_t i, int row) {
    form.after[i] = form.before[i] + calc_row_answer(mechanism, ws, row);
  });
  return form;
}

}  // namespace cartan::codegen
