#pragma once

#include <QAccessibleInterface>
#include <QString>

class QObject;

namespace lambda {

/// Makes the parts of a NetworkEditor, and the operations of its opened blocks, known to screen
/// readers: each is a child with its name and its cost, in the network's order. For
/// QAccessible::installFactory().
QAccessibleInterface* accessibleNetwork(const QString& className, QObject* object);

}  // namespace lambda
